/**
 * Notes: entries that never move the head (only `head` says where it is). `parent_id` is the head when the note was written,
 * null before the first node; what a note is about, when it is something else, it names (`call_id`, `request_id`, …).
 *
 * How notes are read, to know what holds at a head:
 * - `session_info`, `label`, `queue_update` and `head` hold for the session, whatever the path: the last in the file counts
 *   (of `session_info` the last that has the field; a `label` of null takes the label away).
 * - All others hold for paths. A note on a node counts for a path only if it stands in the file before that path's next
 *   node, so what is changed after going back belongs to the line that follows, not to the older one. Notes with no parent
 *   count for roots that come later. Of what replaces itself (model, to-do list, agent) the last on the path counts.
 * - Some facts count wherever in the file they stand: a turn is over if there is a `turn_end` with its `turn_id`, an approval
 *   is decided by the first `approval_decision` that names it, a call was begun if there is a `tool_start` with its
 *   `call_id`. `usage` is summed over the whole file.
 * - A turn begins with `turn_start`, whose parent is the message it answers, and everything it writes carries its
 *   `turn_id`. A `retry_start` or `resume_start` that nothing follows on its path is a wait; `due_at` says until when.
 */
import * as z from 'zod';
import {
  conversationSchemas,
  envelope,
  headerSchema,
  partSchema,
  type ConversationEntry,
  type ConversationType,
  type Known,
} from './entry.js';
import { failureSchema } from './failure-schema.js';

const count = z.number().int().nonnegative();
const ms = z.number().nonnegative();
const id = z.string().min(1);
const hash = z.string();

/** A note's own fields replace those of the envelope (`turn_id` is required where it is what the note is about). */
const note = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject<{ type: z.ZodLiteral<T> } & Omit<typeof envelope, keyof S> & S>({
    type: z.literal(type),
    ...envelope,
    ...shape,
  });

const target = z.looseObject({ path: z.string(), hash: z.string().nullable() });
const todo = z.looseObject({
  id: z.string(),
  title: z.string(),
  status: z.enum(['pending', 'in_progress', 'done']),
});
const queueItem = z.looseObject({
  id,
  mode: z.enum(['steer', 'queue']),
  text: z.string(),
  parts: z.array(partSchema).optional(),
  /** Who said it, when it was not the person. */
  origin: z.enum(['subagent']).optional().catch(undefined),
});

/** An iteration of a goal: its turn was begun, has ended well, was looked at. */
export const goalPhases = ['begun', 'answered', 'evaluated'] as const;

/** The format of every note, by type. Times are milliseconds, `due_at` an ISO 8601 date. */
export const noteSchemas = {
  head: note('head', { entry_id: id.nullable() }),
  session_info: note('session_info', {
    name: z.string().optional(),
    archived: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    header: headerSchema.optional(),
  }),
  label: note('label', { target_id: id, label: z.string().nullable() }),
  model_change: note('model_change', { provider: z.string(), model_id: z.string() }),
  extension_data: note('extension_data', { ext_type: z.string(), data: z.unknown() }),
  /** In one batch with its user message and after it; *try again* and *Continue* open one on a message that is there. */
  turn_start: note('turn_start', {
    turn_id: id,
    retries: z.string().optional(),
    continues: z.string().optional(),
    /** Whoever asked wants the model to declare the outcome: without `run_finish` the turn is continued. */
    requires_finish: z.boolean().optional().catch(undefined),
    /** Where the prompt came from, whole, and what an answer refers to there: told back with the turn, in no key. */
    delivery: z.string().optional().catch(undefined),
    reply_to: z.string().optional().catch(undefined),
  }),
  turn_end: note('turn_end', {
    turn_id: id,
    steps: count,
    status: z.enum(['completed', 'stopped', 'failed', 'interrupted']),
    error: z.string().optional(),
    /** How it failed, with the action that mends it. */
    failure: failureSchema.optional(),
    /** `stopped` by where this copy of a line was taken, not by anybody: the turn went on in the original. */
    is_cut: z.literal(true).optional(),
  }),
  step_start: note('step_start', { step: count, attempt_id: id, prompt_hash: z.string().optional() }),
  step_end: note('step_end', { step: count, attempt_id: id.optional() }),
  /** Durable before a tool with side effects runs; `before` lets recovery compare the disk with what was there. */
  tool_start: note('tool_start', {
    call_id: id,
    before: z.array(z.looseObject({ path: z.string(), hash: z.string().nullable() })).optional(),
  }),
  /** One per model request that reported it, failed ones too. The only home of usage. */
  usage: note('usage', {
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    cache_read_tokens: count.optional(),
    cache_write_tokens: count.optional(),
    cost: z.number().nonnegative().optional(),
    attempt_id: z.string().optional(),
    purpose: z.enum(['step', 'summary', 'evaluation', 'subagent']),
  }),
  /** `attempt` is the number of the retry (1 = the first), `max_attempts` counts the first request too. */
  retry_start: note('retry_start', {
    kind: z.enum(['retry', 'parked']),
    step: count,
    attempt_id: z.string(),
    attempt: count,
    max_attempts: count,
    delay_ms: ms,
    due_at: z.string(),
    error: z.string(),
    /** The server asked for this wait: it may be cancelled, not skipped. */
    server_hint: z.boolean().optional(),
    /** How much of the wait the server asked for. */
    hint_ms: ms.optional(),
    /** Restarts of a step in this turn so far, of how many. */
    resume: count.optional(),
    max_resumes: z.number().int().optional(),
    /** Blobs of images that the server did not accept: the rest of the turn goes without them. */
    without_images: z.array(hash).optional(),
  }),
  retry_end: note('retry_end', {
    success: z.boolean(),
    attempt: count,
    final_error: z.string().optional(),
  }),
  resume_start: note('resume_start', {
    step: count,
    resume: count,
    max_resumes: z.number().int(),
    delay_ms: ms,
    due_at: z.string(),
    error: z.string(),
    server_hint: z.boolean().optional(),
    hint_ms: ms.optional(),
  }),
  summarization_retry_start: note('summarization_retry_start', {
    attempt: count,
    max_attempts: count,
    delay_ms: ms,
    error: z.string(),
  }),
  summarization_retry_end: note('summarization_retry_end', {
    success: z.boolean(),
    attempt: count,
    final_error: z.string().optional(),
  }),
  overflow_recovery: note('overflow_recovery', {
    applied: z.union([z.boolean(), z.number()]),
    reason: z.string().optional(),
    error: z.string().optional(),
  }),
  session_recovery: note('session_recovery', {
    turn_start_id: id,
    steps: count,
    orphan_results: count,
    closed_step: z.number().int().nullable(),
    reason: z.string(),
  }),
  approval_request: note('approval_request', {
    call_id: id,
    tool: z.string(),
    summary: z.string(),
    input_hash: z.string(),
    targets: z.array(target),
    risk: z.enum(['read', 'write', 'run', 'net']).optional(),
    /** It is decided for this once only: nothing remembered lets such a call run. */
    always_asked: z.boolean().optional(),
    /** In words, what a decision that counts for longer than once allows. */
    allows: z.string().optional(),
    /** The change itself, as blobs, so that the card can show it after a reload without asking the tool again. */
    proposal: z
      .array(z.looseObject({ path: z.string(), before: hash.nullable(), after: hash.nullable() }))
      .optional(),
  }),
  /**
   * The first for its request in the file counts. `edited_input` is what really ran. Two decisions are only read, in logs
   * that others wrote: Bough lets an approval wait as long as the person does (no `timeout`), and what replaces a call that
   * waits closes it as `replied`, `expired` or `abandoned` (no `superseded`).
   */
  approval_decision: note('approval_decision', {
    request_id: id,
    decision: z.enum([
      'allow',
      'deny',
      'replied',
      'timeout',
      'cancelled',
      'expired',
      'abandoned',
      'superseded',
    ]),
    scope: z.enum(['once', 'session', 'workspace', 'always']).optional(),
    feedback: z.string().optional(),
    edited_input: z.unknown().optional(),
    /** Where the person wants it to run; absent: in a process of ours. */
    place: z.enum(['terminal']).optional(),
  }),
  todo_update: note('todo_update', { items: z.array(todo) }),
  goal_update: note('goal_update', {
    goal_id: id,
    objective: z.string(),
    criteria: z.unknown().optional(),
    status: z.string(),
    iteration: count,
    max_iterations: count,
    operation_key: z.string().optional(),
    evaluation: z.unknown().optional(),
    reason: z.string().optional(),
    next_prompt: z.string().optional(),
    /** How far the iteration is; its turn is `turn_id`. */
    phase: z.enum(goalPhases).optional().catch(undefined),
  }),
  run_finish: note('run_finish', { status: z.enum(['completed', 'blocked']), summary: z.string() }),
  turn_continue: note('turn_continue', { segment: count, reason: z.string(), steps: count }),
  subagent_start: note('subagent_start', {
    /** The call that asked for it. */
    call_id: id.optional(),
    agent: z.string(),
    session: z.string(),
    task: z.string(),
    async: z.boolean().optional(),
    job_id: z.string().optional(),
  }),
  subagent_end: note('subagent_end', {
    call_id: id.optional(),
    agent: z.string(),
    session: z.string(),
    status: z.string(),
    summary: z.string().optional(),
    steps: count,
    error: z.string().optional(),
    job_id: z.string().optional(),
  }),
  /** The whole list, session-wide. A message with an item's `queue_item_id` proves that it was sent. */
  queue_update: note('queue_update', { items: z.array(queueItem), held: z.boolean().optional() }),
  /** `restored`: the person had them put back to what their line says; it changes what the disk has, and no line. */
  files_changed: note('files_changed', {
    restored: z.boolean().optional(),
    /** The person keeps what the line made of them: `before` is what it was, nothing is changed. */
    kept: z.boolean().optional(),
    /** Copied from a log that came from elsewhere: what it says of files was not seen here. */
    foreign: z.boolean().optional(),
    changes: z.array(z.looseObject({ path: z.string(), before: hash.nullable(), after: hash.nullable() })),
  }),
  agent_bind: note('agent_bind', { agent_id: z.string() }),
} as const;

export type NoteType = keyof typeof noteSchemas;
export type NoteOf<T extends NoteType> = Known<z.infer<(typeof noteSchemas)[T]>>;
export type Note = { [T in NoteType]: NoteOf<T> }[NoteType];
export type Todo = Known<z.infer<typeof todo>>;
export type QueueItem = Known<z.infer<typeof queueItem>>;

export type KnownEntry = ConversationEntry | Note;

/** An entry whose type this build does not know: kept and passed through byte for byte. It never moves the head. */
export interface UnknownEntry {
  type: 'unknown';
  id: string;
  parent_id: string | null;
  timestamp: string;
  turn_id?: string | undefined;
  /** The type as it stands in the file. */
  unknown_type: string;
}

/** Any line of a log but its header, as read. */
export type Entry = KnownEntry | UnknownEntry;
export type EntryType = ConversationType | NoteType;

export const entrySchemas = { ...conversationSchemas, ...noteSchemas } as const;

export const isConversationType = (type: string): type is ConversationType =>
  Object.hasOwn(conversationSchemas, type);
export const isKnownType = (type: string): type is EntryType => Object.hasOwn(entrySchemas, type);
export const isConversation = (entry: { type: string }): entry is ConversationEntry =>
  isConversationType(entry.type);

type Assigned = 'id' | 'parent_id' | 'timestamp';
type DraftOf<T> = T extends unknown
  ? { [K in keyof T as K extends Assigned ? never : K]: T[K] } & {
      id?: string | undefined;
      parent_id?: string | null | undefined;
    }
  : never;
/**
 * What is handed to the log: an entry without what the log fills in. `id` may be given when something else of the batch
 * must name it; `parent_id` defaults to the head as it is after the entries before it in the batch.
 */
export type Draft = DraftOf<KnownEntry>;
