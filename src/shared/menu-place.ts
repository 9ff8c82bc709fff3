/**
 * What a chat tells VS Code of the place a menu is opened on. The names are those that conditions in the manifest ask
 * for; what was chosen comes back to the extension with the same.
 */
import * as z from 'zod';

export const menuPlaceSchema = z.object({
  boughPlace: z.enum(['message', 'node']),
  boughSession: z.string().min(1),
  boughEntry: z.string().min(1),
  /** Who said it; what is no message is of nobody. */
  boughRole: z.enum(['user', 'assistant', 'none']),
  /** It stands on the line that is shown. */
  boughOnLine: z.boolean(),
  boughCanWrite: z.boolean(),
});

export type MenuPlace = z.infer<typeof menuPlaceSchema>;
