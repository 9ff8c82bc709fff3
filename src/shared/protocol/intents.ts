/** What a person asks for: of the session, or of the editor. Schema-checked when the host receives it. */
import * as z from 'zod';
import { approvalModes } from '../approval-state.js';
import { mentionSchema } from '../composer-draft.js';

const entryId = z.string().min(1);

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
    /** The person chose to answer what is pending: as denied ("replied instead"), or a lone question with these words. */
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
    /** With `allow`: a command runs in the person's own terminal. */
    place: z.enum(['terminal']).optional(),
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
  /**
   * From now on the model is told of what tools gave on this line only that it is there, and how to read it. A turn that
   * failed goes on.
   */
  z.object({ type: z.literal('leave_out_outputs') }),
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
  /** Works turn after turn until an evaluation apart says that the goal is reached. */
  z.object({
    type: z.literal('goal_start'),
    objective: z.string().max(10_000),
    criteria: z.string().max(10_000).default(''),
    /** At most 20, which is the default. */
    max_iterations: z.number().int().positive().optional(),
  }),
  /** Stops what is worked on for it; resume goes on from there. */
  z.object({ type: z.literal('goal_pause') }),
  z.object({ type: z.literal('goal_resume') }),
  /** Tries again what blocks it. */
  z.object({ type: z.literal('goal_retry') }),
  z.object({ type: z.literal('goal_clear') }),
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
  /** Asks for what is to be reached, unless it is given, and how that is told. */
  z.object({ type: z.literal('start_goal'), objective: z.string().max(10_000).optional() }),
  z.object({ type: z.literal('archive_session') }),
  z.object({ type: z.literal('unarchive_session') }),
  z.object({ type: z.literal('fork_session') }),
  z.object({ type: z.literal('export_session') }),
  z.object({ type: z.literal('import_session') }),
  z.object({ type: z.literal('search_sessions') }),
  /** A log of another format, or from elsewhere, goes on as a session of this folder. */
  z.object({ type: z.literal('continue_copy') }),
  z.object({ type: z.literal('reopen') }),
  /** Goes on with a session that another window worked in, if it does not any more. */
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
  /** The person chooses a message of hers on this line, and it stands in the composer to be sent otherwise. */
  z.object({ type: z.literal('edit_earlier') }),
  /** Two lines beside each other; without `entry_id` the person is asked for the one that is not on show. */
  z.object({ type: z.literal('compare_branches'), entry_id: entryId.optional() }),
  /** Two lines beside each other where there is more room: in an editor tab. */
  z.object({ type: z.literal('compare_in_editor'), left_id: entryId, right_id: entryId }),
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
