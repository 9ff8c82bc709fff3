/**
 * Proposes one small real edit: adds a line at the end of a text file of the workspace, or takes it out when it is there
 * already. The edit goes through the real tool, so it waits for approval and can be undone.
 */
import { pathOf, readListing, readText } from './folder.js';
import { answer, call, gist, say, type Beat, type Done, type Scene } from './talk.js';

const NOTE = 'A line added by the Bough demo. Undo it, or send /demo edit again to take it out.';
const FRESH = 'bough-demo.md';

type Style = (note: string) => string;
const slashes: Style = (note) => `// ${note}`;
const hash: Style = (note) => `# ${note}`;

/** How a file says something that changes nothing; only such files are edited. Prose first. */
const styles: readonly [RegExp, Style][] = [
  [/^readme(\.(md|txt))?$/i, (note) => note],
  [/\.(md|txt|rst|adoc)$/i, (note) => note],
  [/\.([cm]?[jt]sx?|go|rs|java|kt|c|cpp|cs|h)$/i, slashes],
  [/\.(py|rb|sh|ya?ml|toml)$/i, hash],
  [/\.css$/i, (note) => `/* ${note} */`],
];

const noteFor = (path: string): string | undefined => {
  const name = path.split('/').at(-1) ?? path;
  return styles.find(([shape]) => shape.test(name))?.[1](NOTE);
};

const choose = (files: readonly string[]): string | undefined => {
  for (const [shape] of styles) {
    const found = files.find((name) => shape.test(name) && !/lock/i.test(name));
    if (found !== undefined) return found;
  }
  return undefined;
};

const occursOnce = (text: string, piece: string): boolean =>
  text.includes(piece) && text.indexOf(piece) === text.lastIndexOf(piece);

/** The shortest run of whole lines at the end of the text that occurs once in it. */
const lastWords = (text: string): string | undefined => {
  const lines = text.trimEnd().split('\n');
  for (let n = 1; n <= Math.min(lines.length, 20); n += 1) {
    const piece = lines.slice(-n).join('\n');
    if (piece.trim() !== '' && occursOnce(text, piece)) return piece;
  }
  return undefined;
};

const editOf = (path: string, text: string): { old_text: string; new_text: string } | undefined => {
  const note = noteFor(path);
  if (note === undefined) return undefined;
  const added = `\n\n${note}`;
  if (occursOnce(text, added)) return { old_text: added, new_text: '' };
  const end = lastWords(text);
  return end === undefined ? undefined : { old_text: end, new_text: `${end}${added}` };
};

const createFresh = (): Beat[] => [
  say(
    `I find no text file to which I could add a line without changing what it does, so I propose a new one.`,
  ),
  call('write', { path: FRESH, content: `# Bough demo\n\n${NOTE}\n` }),
];

const propose = (read: Done): Beat[] => {
  const path = pathOf(read);
  const { text, isWhole } = readText(read.content);
  const edit = path === undefined || read.isError || !isWhole ? undefined : editOf(path, text);
  if (path === undefined || edit === undefined) return createFresh();
  const what = edit.new_text === '' ? 'take my line out of' : 'add one line at the end of';
  return [
    say(`I would like to ${what} \`${path}\`. Nothing changes until you approve.`),
    call('edit', { path, edits: [edit] }),
  ];
};

/** After the change: ask the disk, through the real search, whether the line is there. */
const conclude = (change: Done, search: Done | undefined, canSearch: boolean): Beat[] => {
  const path = pathOf(change) ?? 'the file';
  if (change.isError) {
    return answer(`\`${path}\` was not changed. The tool said: ${gist(change.content)}`);
  }
  if (!search && canSearch) {
    return [
      say('Done. I look for the line on the disk.'),
      call('search', { pattern: NOTE, path, max_results: 5 }),
    ];
  }
  const seen = search ? `\n\nSearching the disk for the line gave: ${gist(search.content)}` : '';
  return answer(
    `\`${path}\` is changed.${seen}`,
    'Undo in the editor brings the old text back; so does sending `/demo edit` again.',
  );
};

export const edit: Scene = ({ done, tools }) => {
  const missing = ['list', 'read', 'edit', 'write'].find((name) => !tools.has(name));
  if (missing !== undefined) return answer(`I was given no tool \`${missing}\`, so I cannot edit here.`);
  const change = done.findLast(({ name }) => name === 'edit' || name === 'write');
  if (change) {
    return conclude(
      change,
      done.findLast(({ name }) => name === 'search'),
      tools.has('search'),
    );
  }
  const list = done.find(({ name }) => name === 'list');
  if (!list) {
    return [say("I am Bough's built-in demo. I look for a text file to edit."), call('list', {})];
  }
  if (list.isError) return answer(`I asked the tool \`list\`, and it said: ${gist(list.content)}`);
  const read = done.find(({ name }) => name === 'read');
  if (read) return propose(read);
  const file = choose(readListing(list.content).files);
  return file === undefined
    ? createFresh()
    : [say(`I read \`${file}\` first.`), call('read', { path: file })];
};
