/** What stands in the composer before it is sent: its text, what is attached, and what an edit put aside. */
import * as z from 'zod';
import { mentionKinds } from './mention-kinds.js';

/** What the person named: by its path alone, or with the text that goes along. */
export const mentionSchema = z.object({
  kind: z.enum(mentionKinds),
  label: z.string(),
  path: z.string().optional(),
  text: z.string().optional(),
  /** Of an image: its bytes lie beside the log. */
  blob: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  mime: z.string().optional(),
});
export type Mention = z.infer<typeof mentionSchema>;

const contents = {
  text: z.string(),
  /** Absent: none. */
  attachments: z.array(mentionSchema).optional(),
};

/** What was typed beside the composer and not sent: on a card that waits, or in place of a queued message. */
const unsentSchema = z.object({
  /** What was made of the texts of a proposed call. */
  texts: z.array(z.string()).optional(),
  /** What the file would hold, as the person left it in the editor's own diff. */
  after: z.string().optional(),
  /** What to do instead of it. */
  feedback: z.string().optional(),
  /** What is to be sent in place of a queued message. */
  text: z.string().optional(),
});
export type Unsent = z.infer<typeof unsentSchema>;

export const composerDraftSchema = z.object({
  ...contents,
  /** The message whose sibling is being written. */
  editing: z.string().min(1).nullable(),
  /** What stood here before that edit began, and comes back after it. */
  aside: z.object(contents).optional(),
  /** By the id of the call or of the queued message. Absent: none. */
  unsent: z.record(z.string(), unsentSchema).optional(),
});
export type ComposerDraft = z.infer<typeof composerDraftSchema>;

export const isEmptyDraft = ({ text, editing, attachments, unsent }: ComposerDraft): boolean =>
  text === '' &&
  editing === null &&
  (attachments ?? []).length === 0 &&
  Object.keys(unsent ?? {}).length === 0;
