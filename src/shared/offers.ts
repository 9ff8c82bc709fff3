/** What the composer's menus offer: things that an @ names, and what a / does. */
import * as z from 'zod';
import { mentionKinds } from './mention-kinds.js';

/** What is sent of it is found out when it is picked. */
export const mentionOfferSchema = z.object({
  kind: z.enum(mentionKinds),
  label: z.string(),
  /** More about it, in a few words. */
  detail: z.string().optional(),
  path: z.string().optional(),
  /** Which one it is: the id of a session, the place of a symbol. */
  ref: z.string().optional(),
  /** It stands for many: what the @ is to be followed by to look among them. */
  prefix: z.string().optional(),
});
export type MentionOffer = z.infer<typeof mentionOfferSchema>;

/** A prompt file or a skill that is called by a slash. */
export interface SlashOffer {
  kind: 'prompt' | 'skill';
  name: string;
  description: string;
  /** What may be written behind it. */
  hint?: string;
}
