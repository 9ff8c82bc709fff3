/** The place that a menu is opened on, as VS Code reads it from the page. */
import type { MenuPlace } from '../src/shared/menu-place.js';
import { OutlineFlag, type OutlineNode } from '../src/shared/fold/types.js';
import type { SessionView } from '../src/shared/protocol.js';

interface PlaceParts {
  session: SessionView | null;
  entry: string;
  role: MenuPlace['boughRole'];
}

const write = (place: MenuPlace, more: object = {}): string => JSON.stringify({ ...place, ...more });

const common = ({ session, entry, role }: PlaceParts) => ({
  boughSession: session?.id ?? '',
  boughEntry: entry,
  boughRole: role,
  boughCanWrite: session?.read_only !== true,
});

/** The menu of a row has what VS Code offers for selected text, too. */
export const rowPlace = (parts: PlaceParts): string =>
  write({ ...common(parts), boughPlace: 'message', boughOnLine: true });

const roleOf = (flags: number): MenuPlace['boughRole'] =>
  (flags & OutlineFlag.user) !== 0 ? 'user' : (flags & OutlineFlag.assistant) !== 0 ? 'assistant' : 'none';

/** In the tree no text is selected, and nothing is pasted. */
export function nodePlace(
  session: SessionView | null,
  node: OutlineNode | undefined,
  isOnLine: boolean,
): string {
  const more = { preventDefaultContextMenuItems: true };
  if (node === undefined) return JSON.stringify(more);
  const parts = common({ session, entry: node[0], role: roleOf(node[3]) });
  return write({ ...parts, boughPlace: 'node', boughOnLine: isOnLine }, more);
}
