/**
 * Host ↔ webview: one union per direction, string tags, schema-checked on receipt. The host decides nothing that the log
 * does not say; the webview remembers nothing but scroll, folds and focus.
 */
import * as z from 'zod';
import { composerDraftSchema, mentionSchema, type ComposerDraft, type Mention } from './composer-draft.js';
import { approvalModes, type ApprovalMode } from './approval-state.js';
import type { Failure } from './failure.js';
import type { OutlineNode, PathState } from './fold/types.js';
import type { Entry } from './notes.js';
import { mentionOfferSchema, type MentionOffer, type SlashOffer } from './offers.js';

export type { ComposerDraft, Mention } from './composer-draft.js';
export type { MentionOffer, SlashOffer } from './offers.js';

// ------------------------------------------------------------------------------------------- webview → host

const requestId = z.number().int().nonnegative();
const entryId = z.string().min(1);
/** 5 MB: more than this no provider takes. */
const MOST_IMAGE_CHARS = 5 * 1024 * 1024;

/** What the person asks for. Each appends to the log, or fails with a sentence and changes nothing. */
export const intentSchema = z.discriminatedUnion('type', [
  /** `editing`: the user message whose sibling this is; else it follows the head. `mode` says what to do while a turn runs. */
  z.object({
    type: z.literal('send'),
    text: z.string(),
    mentions: z.array(mentionSchema).default([]),
    editing: entryId.optional(),
    mode: z.enum(['send', 'queue', 'steer']).default('send'),
    /** The images of an edited message are those that the mentions name; without it all of them travel along. */
    images_named: z.boolean().optional(),
    /** The person chose to answer what is pending as denied: "replied instead". */
    reply_instead: z.boolean().optional(),
    /** Refused while a turn runs, rather than queued. */
    only_now: z.boolean().optional(),
  }),
  z.object({ type: z.literal('stop') }),
  z.object({ type: z.literal('retry_now') }),
  z.object({ type: z.literal('retry_cancel') }),
  z.object({
    type: z.literal('decide'),
    call_id: z.string(),
    decision: z.enum(['allow', 'deny']),
    scope: z.enum(['once', 'session', 'workspace', 'always']).default('once'),
    feedback: z.string().optional(),
    /** With `allow`: what runs in place of the input that was proposed. The model is told. */
    edited_input: z.record(z.string(), z.unknown()).optional(),
  }),
  /** Ends one call that runs; the turn goes on with what it gave so far. */
  z.object({ type: z.literal('end_call'), call_id: z.string() }),
  /** Lets one command that runs go on beside the turn, which goes on at once. `end_call` ends it later. */
  z.object({ type: z.literal('background_call'), call_id: z.string() }),
  /** Closes all calls that wait for a decision, and with them the turn: nothing is run and nothing is sent. */
  z.object({ type: z.literal('dismiss') }),
  /** What may run without a card from now on. */
  z.object({ type: z.literal('set_mode'), mode: z.enum(approvalModes) }),
  /** What to do with an interrupted turn. */
  z.object({ type: z.literal('continue') }),
  /** A new answer to the message of `entry_id` (or of the open turn), as a sibling branch. */
  z.object({
    type: z.literal('try_again'),
    entry_id: entryId.optional(),
    /** Who answers on the new line. */
    model: z.object({ provider: z.string(), model_id: z.string() }).optional(),
  }),
  z.object({ type: z.literal('leave') }),
  /** Moves the head: to a leaf (branch picker), to an entry (branch here), or to nothing. */
  z.object({ type: z.literal('navigate'), entry_id: entryId.nullable() }),
  /** Begins anew in the same session: what was said stays as a line of its own. */
  z.object({ type: z.literal('clear') }),
  /** Goes to before the last prompt; its line stays. */
  z.object({ type: z.literal('undo') }),
  /** Summarises the older part of the line for the model; all of it stays readable. `focus`: what to keep above all. */
  z.object({ type: z.literal('compact'), focus: z.string().max(2_000).optional() }),
  /** Brings a summary of the line that was left, from its first own entry to its end, to where the head is. */
  z.object({
    type: z.literal('bring_summary'),
    from_id: entryId,
    to_id: entryId,
    focus: z.string().max(2_000).optional(),
  }),
  /** Puts a summary in place of a part of the line, for the model. */
  z.object({
    type: z.literal('collapse'),
    from_id: entryId,
    to_id: entryId,
    focus: z.string().max(2_000).optional(),
  }),
  /** Names a place in the tree; null takes the name away. */
  z.object({
    type: z.literal('label'),
    entry_id: entryId,
    label: z.string().trim().min(1).max(80).nullable(),
  }),
  z.object({ type: z.literal('drop_queued'), item_id: z.string() }),
  /** Another text or another time to send it; without `mentions` what it names stays. */
  z.object({
    type: z.literal('edit_queued'),
    item_id: z.string(),
    text: z.string(),
    mentions: z.array(mentionSchema).optional(),
    mode: z.enum(['queue', 'steer']).optional(),
  }),
  z.object({ type: z.literal('release_queue') }),
]);
export type Intent = z.infer<typeof intentSchema>;

/** What the person asks the editor for. Nothing of it touches the log. */
export const uiCommandSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('new_session') }),
  z.object({ type: z.literal('switch_session') }),
  z.object({ type: z.literal('rename_session') }),
  /** That of a subagent, or of the one that gave it its task. */
  z.object({ type: z.literal('open_session'), session: z.string().min(1) }),
  z.object({ type: z.literal('select_model') }),
  /** A new answer by another model, which the person is asked for. */
  z.object({ type: z.literal('try_other_model'), entry_id: entryId.optional() }),
  z.object({ type: z.literal('set_key') }),
  z.object({ type: z.literal('open_settings'), query: z.string() }),
  z.object({ type: z.literal('mcp_servers') }),
  z.object({ type: z.literal('select_tools') }),
  z.object({ type: z.literal('show_log') }),
  z.object({ type: z.literal('show_diagnostics') }),
  z.object({ type: z.literal('open_in_editor') }),
  z.object({ type: z.literal('open_folder') }),
  z.object({ type: z.literal('manage_trust') }),
  z.object({ type: z.literal('reveal_log') }),
  z.object({ type: z.literal('delete_session') }),
  z.object({ type: z.literal('compact_session') }),
  z.object({ type: z.literal('collapse_part') }),
  z.object({ type: z.literal('archive_session') }),
  z.object({ type: z.literal('unarchive_session') }),
  z.object({ type: z.literal('fork_session') }),
  z.object({ type: z.literal('export_session') }),
  /** A log of another format, or from elsewhere, goes on as a session of this folder. */
  z.object({ type: z.literal('continue_copy') }),
  z.object({ type: z.literal('reopen') }),
  /** Goes on with a session that another window worked in, if it does not any more. */
  z.object({ type: z.literal('take_over') }),
  /** Back to where the text was written that another window was faster than; the view then sends it from there. */
  z.object({ type: z.literal('keep_as_branch') }),
  z.object({ type: z.literal('save_again') }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  /** A code block of an answer: put at the cursor, compared with the file it is for, or opened. `info`: behind its fence. */
  z.object({ type: z.literal('insert_code'), text: z.string() }),
  z.object({ type: z.literal('apply_code'), text: z.string(), info: z.string() }),
  z.object({ type: z.literal('open_code'), text: z.string(), info: z.string() }),
  z.object({ type: z.literal('open_link'), url: z.string() }),
  z.object({ type: z.literal('open_file'), path: z.string(), line: z.number().int().optional() }),
  /** Shows what is attached, or is to be. */
  z.object({ type: z.literal('open_mention'), mention: mentionSchema }),
  /** Files follow the line on show: what would be written, writing it, leaving them. */
  z.object({ type: z.literal('preview_files') }),
  z.object({ type: z.literal('restore_files') }),
  z.object({ type: z.literal('keep_files') }),
  /** What this line, or one turn of it, made of the files: looking through it, keeping it, undoing it. */
  z.object({ type: z.literal('review_files'), turn_id: z.string().optional() }),
  z.object({ type: z.literal('keep_changes') }),
  z.object({ type: z.literal('undo_changes') }),
  z.object({ type: z.literal('switch_branch') }),
  /** Two lines beside each other; without `entry_id` the person is asked for the one that is not on show. */
  z.object({ type: z.literal('compare_branches'), entry_id: entryId.optional() }),
  /** The files that two lines have otherwise, in the editor's own diff: one of them, or all. */
  z.object({
    type: z.literal('compare_files'),
    left_id: entryId,
    right_id: entryId,
    path: z.string().optional(),
  }),
  /** The proposal of a pending approval in the editor's own diff. */
  z.object({ type: z.literal('open_diff'), call_id: z.string() }),
]);
export type UiCommand = z.infer<typeof uiCommandSchema>;

export const askSchema = z.discriminatedUnion('what', [
  /** Bodies of conversation entries by id; those unknown are left out. */
  z.object({ what: z.literal('bodies'), ids: z.array(entryId).max(500) }),
  /** Everything after `position`: sent when an `appended` left a gap. */
  z.object({ what: z.literal('snapshot') }),
  /** Texts of blobs: the rest of a long result, the two sides of a proposal. */
  z.object({ what: z.literal('blob'), hash: z.string() }),
  /** What two lines have of their own, by the ends of them. */
  z.object({ what: z.literal('compare'), left_id: entryId, right_id: entryId }),
  /** Keeps an image beside the log, so that a message can name it; `data` is base64. */
  z.object({
    what: z.literal('attach'),
    mime: z.enum(['image/png', 'image/jpeg']),
    data: z.string().max(MOST_IMAGE_CHARS),
  }),
  /** Paths of files and folders that were dropped, as messages name them. */
  z.object({ what: z.literal('paths'), uris: z.array(z.string()).max(100) }),
  /** What an @-mention that begins like this may name. Symbols apart: a language service may take its time. */
  z.object({ what: z.literal('mentions'), query: z.string() }),
  z.object({ what: z.literal('symbols'), query: z.string() }),
  /** What is sent of one of them, as things are now. */
  z.object({ what: z.literal('mention'), offer: mentionOfferSchema }),
  /** Prompt files and skills. */
  z.object({ what: z.literal('slash') }),
  /** The text of a prompt file, with what its variables stand for; the person may be asked for it. */
  z.object({ what: z.literal('expand'), name: z.string() }),
]);
export type Ask = z.infer<typeof askSchema>;

/** The `result` of the reply to an ask, by `what`. */
export interface AskResults {
  /** Those that are known. */
  bodies: Entry[];
  /** The snapshot itself comes as a message of its own, before the reply. */
  snapshot: null;
  blob: string;
  compare: ComparedLines;
  mentions: MentionOffer[];
  symbols: MentionOffer[];
  mention: Mention;
  slash: SlashOffer[];
  expand: string;
  /** The hash of the blob. */
  attach: string;
  /** Those that lie in the workspace. */
  paths: { path: string; kind: 'file' | 'folder' }[];
}

/** What stands on a line behind the last entry that it shares with the other. */
export interface ComparedLine {
  /** Its end. */
  head: string;
  /** In file order, with their notes. */
  entries: { position: number; entry: Entry }[];
  state: PathState;
  /** How many messages behind those are not brought along. */
  left_out: number;
}

export interface ComparedLines {
  /** The last entry they share; null when they begin apart. */
  common_id: string | null;
  left: ComparedLine;
  right: ComparedLine;
  /** Files that do not have the same on both, and whether they are there at all. */
  files: { path: string; left: boolean; right: boolean }[];
}

export const toHostSchema = z.discriminatedUnion('type', [
  /** The webview is there and shows nothing yet. */
  z.object({ type: z.literal('open') }),
  z.object({
    type: z.literal('intent'),
    id: requestId,
    /** The head the person saw; the intent is refused when it has moved. Absent: whatever it is (stop, retry). */
    expected_head: entryId.nullable().optional(),
    intent: intentSchema,
  }),
  z.object({ type: z.literal('ui'), id: requestId, command: uiCommandSchema }),
  z.object({ type: z.literal('ask'), id: requestId, ask: askSchema }),
  /** The view's document took or lost the keyboard: key bindings of the chat depend on it. */
  z.object({ type: z.literal('focus'), focused: z.boolean() }),
  /** Debounced and on hide: what stands in the composer, kept per session by the host. */
  z.object({ type: z.literal('draft'), session: z.string(), ...composerDraftSchema.shape }),
  /** Content-security violations and uncaught errors of the view, for the output channel. */
  z.object({ type: z.literal('trouble'), text: z.string().max(4000) }),
]);
export type ToHost = z.infer<typeof toHostSchema>;

// ------------------------------------------------------------------------------------------- host → webview

export type RunState = 'idle' | 'running' | 'waiting' | 'retrying' | 'parked' | 'stopping';

export interface NoticeView {
  kind:
    'damaged' | 'read-only' | 'stale' | 'newer' | 'not-saved' | 'config' | 'recovered' | 'conflict' | 'error';
  message: string;
  detail?: string;
  actions: { label: string; command: UiCommand }[];
}

/** An interrupted turn: what is known, in one sentence. */
export interface InterruptedView {
  turn_id: string;
  message: string;
}

export interface SessionView {
  id: string;
  title: string;
  folder: string | undefined;
  read_only: boolean;
  /** Kept in memory only; gone with the window. */
  ephemeral?: true;
  /** It does a part of that session's task. */
  parent?: string;
}

export interface ModelView {
  /** "provider/model" as chosen for this session. */
  id: string;
  label: string;
  demo: boolean;
  contextWindow: number | undefined;
}

/** Files that the line on show has otherwise than the workspace, since another line was shown before. */
export interface FilesView {
  count: number;
  /** Of the first of them. */
  names: string[];
  /** How many of them somebody else changed since: those are asked about. */
  changed: number;
}

/** A file that goes along with every request: AGENTS.md. */
export interface SentFile {
  path: string;
  /** Characters of it. */
  chars: number;
  /** It is longer than what is sent of it. */
  isCut: boolean;
}

/** Files that the line on show changed, and that the person neither kept nor undid since. */
export interface ChangesView {
  count: number;
  /** Of the first of them. */
  names: string[];
}

/** What the view shows beside the transcript; small, sent whole. */
export interface StatusView {
  run: RunState;
  notices: NoticeView[];
  interrupted: InterruptedView | null;
  model: ModelView | null;
  /** Failure of the last turn on this path, while nothing newer happened. */
  failure: Failure | null;
  /** No folder · untrusted · on no disk · ready: which welcome to show when there is no message. */
  place: 'ready' | 'no-folder' | 'untrusted' | 'virtual';
  suggestions: string[];
  sendOn: 'enter' | 'modEnter';
  /** What runs without a card. */
  mode: ApprovalMode;
  /** A summary is being made. */
  isSummarising: boolean;
  /** The person is offered to let the files follow the line. */
  files?: FilesView;
  /** What may be looked through. */
  changes?: ChangesView;
  /** What goes along with every request. Absent: nothing. */
  sent?: readonly SentFile[];
}

/** Text of the attempt that streams now; not in the log yet. */
/** What had streamed of a step that waits to be asked again: every try, oldest first. */
export interface DroppedView {
  tries: readonly { attempt_id: string; text: string; reasoning: string }[];
}

export interface GrowingView {
  attempt_id: string;
  turn_id: string;
  step: number;
  text: string;
  reasoning: string;
  /** Calls whose arguments are still coming: name and characters so far. */
  calls: { name: string; chars: number }[];
}

export interface ProgressView {
  call_id: string;
  /** ms since the epoch. */
  started_at: number;
  /** The last lines of output, at most 4 000 characters. */
  tail: string;
}

export interface Snapshot {
  type: 'snapshot';
  session: SessionView;
  position: number;
  outline: OutlineNode[];
  state: PathState;
  status: StatusView;
  /** Entries (messages and notes of the path) of the visible part of the path, in file order with their positions. */
  entries: { position: number; entry: Entry }[];
  /** True when the path has older entries that `ask bodies` brings. */
  more: boolean;
  growing: GrowingView | null;
  dropped?: DroppedView;
  progress: ProgressView[];
  draft: ComposerDraft;
}

export type ToWebview =
  | Snapshot
  | {
      type: 'appended';
      session: string;
      /** Count before and after. A view whose count is not `from` asks for a snapshot. */
      from: number;
      position: number;
      /** New nodes of the outline. */
      outline: OutlineNode[];
      state: PathState;
      status: StatusView;
      entries: { position: number; entry: Entry }[];
    }
  | { type: 'status'; session: string; status: StatusView }
  /** The session could not be read, so that what the view shows is not it, or old. It is tried again; a snapshot follows. */
  | { type: 'not_shown'; session: string; message: string }
  /** `offset`: characters of text that stand before `text`; 0 with a new attempt_id replaces all. null: nothing streams. */
  | {
      type: 'growing';
      session: string;
      attempt_id: string;
      turn_id: string;
      step: number;
      offset: number;
      delta: string;
      reasoning_offset: number;
      reasoning_delta: string;
      calls: { name: string; chars: number }[];
    }
  | { type: 'growing_end'; session: string; attempt_id: string }
  | { type: 'dropped'; session: string; dropped: DroppedView | null }
  | { type: 'progress'; session: string; progress: ProgressView[] }
  /** Puts the focus into the composer, with text to begin with; or on what waits for a decision. */
  | { type: 'compose'; text?: string; mentions?: Mention[]; at?: 'approval' }
  /** Shows two lines beside each other. */
  | { type: 'compare'; left_id: string; right_id: string }
  /** What the person made of a proposal in the editor's own diff; null: it is as it was proposed. */
  | { type: 'edited'; session: string; call_id: string; after: string | null }
  | { type: 'reply'; id: number; ok: true; result: unknown }
  | { type: 'reply'; id: number; ok: false; failure: Failure };
