/**
 * The file format: what a session log holds and how it is read. With this comment, the schemas below and those of notes.ts
 * a reader can be written without looking any further (test/unit/shared/stranger.ts is one).
 *
 * A session is one append-only file of UTF-8 text that holds a tree. Nothing in it is ever rewritten or removed: what
 * changes later (name, labels, decisions, the head) is an entry more.
 *
 * LINES. The file is split at byte 0x0A and nowhere else (not at U+2028). Around a line, a byte-order mark at the start of
 * the file, NUL bytes at either end and one CR before the line's end are passed over; a blank line says nothing.
 * - Line 1 is the {@link Header}, an object of type `session`. Any other line is one entry (an object) or a batch (an array
 *   of entries). The line is what is written at once: a batch is there whole or not at all, and one bad entry makes all
 *   of its batch bad.
 * - An entry is good when it has a `type`, a non-empty `id`, a `parent_id` (a string, or null at a root) and, if its type is
 *   one of those below, the fields of that type. Fields and types that are not known here are kept as they are; an entry
 *   of unknown type is a note. A missing `timestamp` falls back to the file's time.
 * - A line that is no good is skipped and stays where it is: it hides neither what stands before it nor what comes after.
 *   One with NUL bytes counts as bad for what follows, even if an entry was found between them.
 *   (This build goes further and takes the whole records out of a line on which several were glued together.) An empty
 *   array is a bad line. A second header is skipped and is none. Bytes that are no UTF-8 are read as U+FFFD: they make no
 *   entry bad. What stands behind the last 0x0A is an entry if it is good; otherwise it is the rest of a write that never
 *   ended, and not even a bad line.
 * - Keys are written in the order `type, id, parent_id, timestamp, …`, so that a scan finds the links without parsing the
 *   body, and strings are well formed, with U+2028 and U+2029 escaped. Neither may be relied on when reading.
 *
 * TREE. {@link ConversationEntry Conversation entries} (message, incomplete_output, compaction, branch_summary, skill_load)
 * are its nodes; all others are notes, which hang on a node. Order is the place in the file: `timestamp` is for display.
 * - Ids are unique over all types. Where one comes again, the first keeps it; the later entry is known by the first 16
 *   hex digits of SHA-256(`<id>:<byte offset of its line>:<index in its batch>`), hashed again while that is taken too.
 * - `parent_id` names what stands before it in the file. A parent that is a note stands for the node that note hangs on.
 * - A parent that does not stand before it (lost, later, or the entry itself) is replaced, and the entry is marked as
 *   recovered. An entry that names itself is a root. Otherwise: if a bad line stands before the entry, by what was the head
 *   just before the last bad line; if none does, by null. The same lost id is replaced by the same each time. So there are
 *   no cycles, and a damaged line never hides what came before it.
 *
 * HEAD AND PATH. The head is where the conversation goes on: null at first; each node moves it to itself, and a `head` note
 * to its `entry_id` (null before the first, a node that stands before the note otherwise; one that names anything else
 * moves nothing). The path, from a root along the parents to the head, is what the person sees and the model is told.
 * Branching, going back and clearing are head notes: every other line of the tree is still there.
 *
 * HEADER. Written once. One that cannot be read is made up: the id is the file's name, until a `session_info` note brings
 * `header`, the rebuilt one. Of a file whose `version` is not {@link FORMAT_VERSION} nothing may be written; 3 is another
 * program's format (log/kit-v3.ts reads it), above it a newer build's, whose entries may not fit the schemas here.
 *
 * SIZE. One entry is at most {@link MAX_ENTRY_BYTES} of JSON. A text, reasoning, input, result or body that would make it
 * longer is a blob: `blob` is the SHA-256 of its bytes (UTF-8; JSON of an input), the field itself is empty and `preview`
 * holds its beginning. `metadata_blob` and `reasoning_blob` are the same for what they name. Blobs lie in the folder beside
 * the log that has the log's name without `.jsonl`, each in a file named by its hash, created once and never changed.
 *
 * WRITING. Only with the session's lease, only at the end of the file, and only while the file is as long as it was left:
 * one write, `fdatasync`, and then it counts. See log/commit.ts.
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
  ? number extends T['length']
    ? Known<U>[]
    : T
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
const styleRun = z.tuple([z.int().nonnegative(), z.int().positive(), z.string().max(40)]);
export const toolResultPart = z.looseObject({
  type: z.literal('tool_result'),
  call_id: id,
  name: z.string(),
  content: z.string(),
  is_error: z.boolean(),
  /** Characters of the whole result when `content` is only its head and tail. */
  logical_chars: z.number().int().nonnegative().optional(),
  /** Colours and weights of the whole result, for display only. */
  styles: z.array(styleRun).optional().catch(undefined),
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
  /** It begins an iteration of this goal; which one, the `goal_update` behind it says. */
  goal_id: z.string().optional().catch(undefined),
});

/** What an attempt of the same step streamed before the last one that brought text, and that one does not hold. */
export const earlierTrySchema = z.looseObject({
  attempt_id: z.string(),
  text: z.string(),
  reasoning: z.string().optional(),
  reasoning_blob: hash.optional(),
  ...offloaded,
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
  /** Oldest first. */
  earlier: z.array(earlierTrySchema).optional(),
  ...offloaded,
});

/**
 * Tells the context builder what to skip; nothing is cut from the log. `without_outputs`: of what tools gave on the line
 * before it the model is told only how long it is and how to read it, whatever else is compacted later; such an entry is
 * of the kind prune and carries on what the compaction before it says.
 */
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
  without_outputs: z.literal(true).optional(),
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
export type EarlierTry = Known<z.infer<typeof earlierTrySchema>>;
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
