/** What the view asks the host to look up, and what it gets. */
import * as z from 'zod';
import type { Mention } from '../composer-draft.js';
import type { PathState, Spending } from '../fold/types.js';
import type { Entry } from '../notes.js';
import { mentionOfferSchema, type MentionOffer, type SlashOffer } from '../offers.js';

const entryId = z.string().min(1);
/** 5 MB: more than this no provider takes. */
const MOST_IMAGE_CHARS = 5 * 1024 * 1024;

export const askSchema = z.discriminatedUnion('what', [
  /** Bodies of conversation entries by id; those unknown are left out. */
  z.object({ what: z.literal('bodies'), ids: z.array(entryId).max(500) }),
  /** Everything after `position`: sent when an `appended` left a gap. */
  z.object({ what: z.literal('snapshot') }),
  /** Texts of blobs: the rest of a long result, the two sides of a proposal. */
  z.object({ what: z.literal('blob'), hash: z.string() }),
  /** What two lines have of their own, by the ends of them. */
  z.object({ what: z.literal('compare'), left_id: entryId, right_id: entryId }),
  /** The files that a turn of the shown line changed. */
  z.object({ what: z.literal('turn_files'), turn_id: z.string().min(1) }),
  /** What the requests of the line to `head` took. */
  z.object({ what: z.literal('line_spending'), head: entryId.nullable() }),
  /** About how many tokens a request takes as things stand, for models that report none. */
  z.object({ what: z.literal('estimate') }),
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
  /** Those that are known, and the notes on them, in file order with their positions. */
  bodies: { position: number; entry: Entry }[];
  /** The snapshot itself comes as a message of its own, before the reply. */
  snapshot: null;
  blob: string;
  compare: ComparedLines;
  /** Their paths. */
  turn_files: string[];
  line_spending: Spending;
  estimate: number;
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
