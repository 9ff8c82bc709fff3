/**
 * The file format: what one line of a session log may hold.
 *
 * A session is one append-only JSONL file (UTF-8, LF) that holds a tree.
 *
 * - Line 1 is the {@link Header}. Every other line is **one entry object, or an array of entries**; the line is the unit
 *   of atomicity, so an array is a batch that is there whole or not at all.
 * - Keys are written in the order `type, id, parent_id, timestamp, …`, so that a scan finds the links without parsing
 *   the body. Lines in another order are read all the same.
 * - {@link ConversationEntry conversation entries} are the nodes of the tree: appending one moves the head to it.
 *   {@link Note notes} (notes.ts) never move the head, except `head`, which says where it is.
 * - **Head**: the target of the last `head` note or the last conversation entry, whichever stands later in the file.
 * - **Path**: from a root along `parent_id` to the head. What the model is told and what the person sees is the path.
 * - Order is file position and parent links, never time: `timestamp` is for display only.
 * - Unknown entry types and unknown fields are kept byte for byte.
 * - Nothing is ever rewritten or removed: what changes later (name, labels, decisions) is a note.
 *
 * Field names on disk are the TypeScript names; there is no mapping layer.
 */
import * as z from 'zod';

/** The major version this build writes. A header with a newer one is opened read-only. */
export const FORMAT_VERSION = 4;

/** One entry holds at most this many bytes of JSON; what would exceed it goes to a blob. */
export const MAX_ENTRY_BYTES = 1024 * 1024;

/** How many characters of a text stay inline as `preview` when the text itself lives in a blob. */
export const PREVIEW_CHARS = 2000;

/** A schema's type without the index signature that `looseObject` adds: unknown fields are kept, not read. */
export type Known<T> = T extends readonly (infer U)[]
  ? Known<U>[]
  : T extends object
    ? string extends keyof T
      ? { [K in keyof T as string extends K ? never : K]: Known<T[K]> } extends infer R
        ? keyof R extends never
          ? T
          : R
        : never
      : T
    : T;

const id = z.string().min(1).max(256);
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'a lower-case hexadecimal SHA-256');

/** The first line of a log. Never rewritten: name, archived and tags are entries. */
export const headerSchema = z.looseObject({
  type: z.literal('session'),
  version: z.number().int(),
  id: z.string().min(1),
  timestamp: z.string().optional(),
  /** Workspace folder URI the session was started in. */
  folder: z.string().optional(),
  parent_session_id: z.string().optional(),
  parent_entry_id: z.string().optional(),
  subagent_task: z.string().optional(),
  owner: z.string().optional(),
  title: z.string().optional(),
  /** `bough/<version>` of the build that created the file. */
  producer: z.string().optional(),
});
export type Header = Known<z.infer<typeof headerSchema>>;

/** What every entry has. `turn_id` is on everything that a turn wrote. */
export const envelope = {
  id,
  parent_id: id.nullable(),
  /** ISO 8601, for display only. */
  timestamp: z.string(),
  turn_id: id.optional(),
};

/** A text too long for a line: the whole is the blob, `preview` its first {@link PREVIEW_CHARS} characters. */
const offloaded = { blob: hash.optional(), preview: z.string().optional() };

/** What a provider wants back, whole or not at all. Too long for a line, `{signature, provider_metadata}` is a blob. */
const opaque = {
  provider_metadata: z.record(z.string(), z.unknown()).optional(),
  metadata_blob: hash.optional(),
};

export const textPart = z.looseObject({
  type: z.literal('text'),
  text: z.string(),
  ...opaque,
  ...offloaded,
});
export const reasoningPart = z.looseObject({
  type: z.literal('reasoning'),
  text: z.string(),
  signature: z.string().optional(),
  ...opaque,
  ...offloaded,
});
export const toolCallPart = z.looseObject({
  type: z.literal('tool_call'),
  /** Ours: 16 hex, unique in the file. Providers repeat theirs or leave them empty. */
  call_id: id,
  provider_call_id: z.string().optional(),
  name: z.string(),
  /** Parsed arguments; `{}` when they did not parse, with what came in `raw_input` (`''` when that is the blob). */
  input: z.unknown(),
  raw_input: z.string().optional(),
  ...opaque,
  ...offloaded,
});
export const toolResultPart = z.looseObject({
  type: z.literal('tool_result'),
  call_id: id,
  name: z.string(),
  content: z.string(),
  is_error: z.boolean(),
  /** Characters of the whole result when `content` is only its head and tail. */
  logical_chars: z.number().int().nonnegative().optional(),
  ...offloaded,
});
export const filePart = z.looseObject({
  type: z.enum(['image', 'file']),
  blob: hash,
  mime: z.string(),
  name: z.string(),
  source: z.string().optional(),
});
export const partSchema = z.discriminatedUnion('type', [
  textPart,
  reasoningPart,
  toolCallPart,
  toolResultPart,
  filePart,
]);

export const messageSchema = z.looseObject({
  type: z.literal('message'),
  ...envelope,
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  parts: z.array(partSchema),
  model: z.string().optional(),
  provider: z.string().optional(),
  attempt_id: z.string().optional(),
  /** 1-based within the turn. */
  step: z.number().int().optional(),
  finish_reason: z.string().optional(),
  logical_chars: z.number().int().nonnegative().optional(),
  origin: z.enum(['person', 'continuation', 'steer', 'subagent', 'import']).optional(),
  author: z.looseObject({ id: z.string(), name: z.string().optional() }).optional(),
  agent_id: z.string().optional(),
  queue_item_id: z.string().optional(),
});

/** Text of an attempt that never ended well. In the tree and in the view for ever, never in what the model is told. */
export const incompleteOutputSchema = z.looseObject({
  type: z.literal('incomplete_output'),
  ...envelope,
  attempt_id: z.string(),
  text: z.string(),
  incomplete: z.literal(true),
  reasoning: z.string().optional(),
  /** The whole of a reasoning too long for the line; `reasoning` is then its beginning. */
  reasoning_blob: hash.optional(),
  reason: z.enum(['stopped', 'connection', 'error', 'length', 'closed', 'crash']).optional(),
  error: z.string().optional(),
  ...offloaded,
});

/** Tells the context builder what to skip; nothing is cut from the log. */
export const compactionSchema = z.looseObject({
  type: z.literal('compaction'),
  ...envelope,
  kind: z.enum(['summary', 'prune']).optional(),
  summary: z.string(),
  first_kept_entry_id: id,
  tokens_before: z.number(),
  tokens_after: z.number(),
  read_files: z.array(z.string()).optional(),
  modified_files: z.array(z.string()).optional(),
  focus: z.string().optional(),
});

export const branchSummarySchema = z.looseObject({
  type: z.literal('branch_summary'),
  ...envelope,
  from_id: id,
  to_id: id.optional(),
  summary: z.string(),
  collapse: z.boolean().optional(),
});

export const skillLoadSchema = z.looseObject({
  type: z.literal('skill_load'),
  ...envelope,
  name: z.string(),
  description: z.string(),
  body: z.string(),
  resource_base: z.string().optional(),
  ...offloaded,
});

export type TextPart = Known<z.infer<typeof textPart>>;
export type ReasoningPart = Known<z.infer<typeof reasoningPart>>;
export type ToolCallPart = Known<z.infer<typeof toolCallPart>>;
export type ToolResultPart = Known<z.infer<typeof toolResultPart>>;
export type FilePart = Known<z.infer<typeof filePart>>;
export type Part = Known<z.infer<typeof partSchema>>;
export type Message = Known<z.infer<typeof messageSchema>>;
export type IncompleteOutput = Known<z.infer<typeof incompleteOutputSchema>>;
export type IncompleteReason = NonNullable<IncompleteOutput['reason']>;
export type Compaction = Known<z.infer<typeof compactionSchema>>;
export type BranchSummary = Known<z.infer<typeof branchSummarySchema>>;
export type SkillLoad = Known<z.infer<typeof skillLoadSchema>>;

export const conversationSchemas = {
  message: messageSchema,
  incomplete_output: incompleteOutputSchema,
  compaction: compactionSchema,
  branch_summary: branchSummarySchema,
  skill_load: skillLoadSchema,
} as const;

export type ConversationEntry = Message | IncompleteOutput | Compaction | BranchSummary | SkillLoad;
export type ConversationType = ConversationEntry['type'];
