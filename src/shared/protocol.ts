/**
 * Host ↔ webview: one union per direction, string tags, schema-checked on receipt. The host decides nothing that the log
 * does not say; the webview remembers nothing but scroll, folds and focus.
 */
import * as z from 'zod';
import { composerDraftSchema, mentionSchema, type Mention } from './composer-draft.js';
import type { Failure } from './failure.js';
import type { OutlineNode, PathState } from './fold/types.js';
import type { Entry } from './notes.js';
import { askSchema } from './protocol/asks.js';
import { intentSchema, uiCommandSchema } from './protocol/intents.js';
import type { DroppedView, OpeningView, ProgressView, Snapshot, StatusView } from './protocol/views.js';

export type { ComposerDraft, Mention } from './composer-draft.js';
export type { MentionOffer, SlashOffer } from './offers.js';
export * from './protocol/asks.js';
export * from './protocol/intents.js';
export type * from './protocol/views.js';

const requestId = z.number().int().nonnegative();
/**
 * The session that the view shows. The host may have turned to another one already: nothing that was meant for the one is
 * done in the other. Absent: the view shows none.
 */
const asked = { id: requestId, session: z.string().optional() };
const entryId = z.string().min(1);

export const toHostSchema = z.discriminatedUnion('type', [
  /** The webview is there and shows nothing yet. */
  z.object({ type: z.literal('open') }),
  /** What becomes of the session that the view waits for. */
  z.object({ type: z.literal('opening'), what: z.enum(['cancel', 'again']) }),
  z.object({
    type: z.literal('intent'),
    ...asked,
    /** The head the person saw; the intent is refused when it has moved. Absent: whatever it is (stop, retry). */
    expected_head: entryId.nullable().optional(),
    intent: intentSchema,
  }),
  z.object({ type: z.literal('ui'), ...asked, command: uiCommandSchema }),
  z.object({ type: z.literal('ask'), ...asked, ask: askSchema }),
  /** The view's document took or lost the keyboard: key bindings of the chat depend on it. */
  z.object({ type: z.literal('focus'), focused: z.boolean() }),
  /** Debounced and on hide: what stands in the composer, kept per session by the host. */
  z.object({ type: z.literal('draft'), session: z.string(), ...composerDraftSchema.shape }),
  /** A message that was taken back, of a session that is not shown here any more: it goes into that one's composer. */
  z.object({
    type: z.literal('bring_back'),
    session: z.string(),
    text: z.string(),
    mentions: z.array(mentionSchema),
  }),
  /** Content-security violations and uncaught errors of the view, for the output channel. */
  z.object({ type: z.literal('trouble'), text: z.string().max(4000) }),
]);
export type ToHost = z.infer<typeof toHostSchema>;

export type ToWebview =
  | Snapshot
  /** In place of a session that is not open: a snapshot ends it. */
  | ({ type: 'opening' } & OpeningView)
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
  /**
   * Puts the focus into the composer, with text to begin with; or on what waits for a decision; or where it was
   * in the view (`same`), else into the composer; or leaves it alone (`none`).
   */
  | { type: 'compose'; text?: string; mentions?: Mention[]; at?: 'approval' | 'same' | 'none' }
  /** Shows two lines beside each other. */
  | { type: 'compare'; left_id: string; right_id: string }
  /** What the person made of a proposal in the editor's own diff; null: it is as it was proposed. */
  | { type: 'edited'; session: string; call_id: string; after: string | null }
  /** The turn that ended in `entry_id` was undone by a command of the editor. */
  | { type: 'undone'; session: string; entry_id: string }
  /** The person chose it from the menu of a message. */
  | { type: 'chosen'; session: string; what: 'edit' | 'copy'; entry_id: string }
  | { type: 'reply'; id: number; ok: true; result: unknown }
  | { type: 'reply'; id: number; ok: false; failure: Failure };
