// The ends of a conversation's lines, and each way a person has to one of them: it must lead to exactly that one.
import { type Editor, eventually } from './bench/index.js';
import { sessionsPane, type TreeRow } from './bench/sessions-tree.js';
import type { Person } from './person.js';

export interface Leaf {
  /** What the list and the palette call it, as it begins. */
  name: string;
  /** How its last answer reads. */
  answer: string;
  /** The messages of its line, from the first on. */
  ids: readonly string[];
}

export const shownIds = async (person: Person): Promise<string[]> =>
  (await person.transcript()).map(({ id }) => id);

export const branchRows = async (editor: Editor): Promise<TreeRow[]> =>
  (await editor.sessionsTree()).filter(({ level }) => level === 2);

type Way = (person: Person, leaf: Leaf) => Promise<void>;

const byList: Way = async ({ editor }, { name }) => {
  await sessionsPane(editor.page).locator(`.monaco-list-row[aria-label^="${name}"]`).click();
};

const byPalette: Way = async ({ editor }, { name, answer }) => {
  await editor.runCommand('Bough: Switch Session…');
  await editor.pick(
    name.includes(answer) ? new RegExp(name.replace(', ', '.*')) : (name.split(',')[0] ?? name),
  );
};

const byTree: Way = async (person, { ids }) => {
  await person.chat.locator(`[data-testid="tree-node"][data-entry-id="${ids.at(-1) ?? ''}"]`).click();
};

/** From the first message on: where another one stands than on the wanted line, its picker is pressed on. */
const byPickers: Way = async (person, { ids }) => {
  for (const [place, id] of ids.entries()) {
    const message = person.at('message').nth(place);
    const isShown = async () => (await message.getAttribute('data-entry-id')) === id;
    if (await isShown()) continue;
    const picker = message.locator('[data-testid="branch-picker"]');
    const step = async (button: 'branch-prev' | 'branch-next', index: number) => {
      await picker.locator(`[data-testid="${button}"]`).click();
      await eventually(async () => (await picker.getAttribute('data-index')) === String(index), {
        what: `the picker of message ${place + 1} is at ${index}`,
      });
    };
    const at = Number(await picker.getAttribute('data-index'));
    const count = Number(await picker.getAttribute('data-count'));
    for (let index = at - 1; index >= 1; index -= 1) await step('branch-prev', index);
    for (let index = 2; index <= count && !(await isShown()); index += 1) await step('branch-next', index);
  }
};

/** Goes to each of them by each way; the last of them is where it begins, so that every step leads elsewhere. */
export async function reachEach(person: Person, leaves: readonly Leaf[]): Promise<void> {
  const is = (leaf: Leaf) => async () => (await shownIds(person)).join() === leaf.ids.join();
  const last = leaves.at(-1);
  if (last === undefined || !(await is(last)())) throw new Error('it begins at the last of them');
  const ways = { list: byList, palette: byPalette, pickers: byPickers, tree: byTree };
  await person.at('tree-toggle').click();
  await person.at('tree').waitFor();
  for (const [what, go] of Object.entries(ways))
    for (const leaf of leaves) {
      await go(person, leaf);
      await eventually(is(leaf), { what: `the ${what} leads to exactly “${leaf.name}”` });
      await isMarked(person.editor, leaf);
    }
  await person.at('tree-toggle').click();
}

/** The list says which of them is on show. */
async function isMarked(editor: Editor, { name }: Leaf): Promise<void> {
  await eventually(
    async () => {
      const shown = (await branchRows(editor)).filter(({ description }) => description.startsWith('shown'));
      return shown.length === 1 && shown[0]?.name.startsWith(`${name}, shown`);
    },
    { what: `the list marks “${name}” alone as the branch on show` },
  );
}
