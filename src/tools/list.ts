/** Tells what lies directly in one folder: folders first, each file with its size. */
import * as z from 'zod';
import type { Tool, ToolContext, ToolOutcome, WorkspacePath } from '../ports.js';
import { isFailure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { count, size } from './text.js';

const MAX_ENTRIES = 500;

const schema = z.strictObject({
  path: z
    .string()
    .optional()
    .describe('Folder relative to the workspace folder. Default: the workspace folder.'),
});

export const listTool: Tool = {
  spec: {
    name: 'list',
    description:
      'List the entries of one folder of the workspace: folders (with a trailing /) first, then files with their size. ' +
      'It does not descend; call it again for a sub-folder, or use search.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  async prepare(input, context) {
    const wanted = parseInput('list', schema, input);
    if (isFailure(wanted)) return wanted;
    const place = await placeOf(wanted.path, context);
    if (isFailure(place)) return place;
    const shown =
      place === 'folders' ? 'the workspace' : place.shown === '.' ? place.folder.name : place.shown;
    return { tool: 'list', input, sentence: `List ${shown}`, risk: 'read', targets: [], subject: shown };
  },

  async run(prepared, context) {
    const wanted = parseInput('list', schema, prepared.input);
    if (isFailure(wanted)) return refused(wanted);
    const place = await placeOf(wanted.path, context);
    if (isFailure(place)) return refused(place);
    return place === 'folders' ? listFolders(context) : listEntries(place, context);
  },
};

const namesTheRoot = (path: string | undefined): boolean =>
  path === undefined || path === '' || path === '.' || path === './';

/** With several workspace folders, none named means the folders themselves. */
async function placeOf(path: string | undefined, context: ToolContext) {
  if (namesTheRoot(path) && context.workspace.folders().length > 1) return 'folders';
  return context.workspace.resolve(namesTheRoot(path) ? '.' : (path ?? '.'));
}

function listFolders(context: ToolContext): ToolOutcome {
  const names = context.workspace.folders().map(({ name }) => `${name}/`);
  return { content: names.join('\n'), is_error: false, outcome: count(names.length, 'folder') };
}

async function listEntries(place: WorkspacePath, context: ToolContext): Promise<ToolOutcome> {
  const entries = await context.workspace.list(place);
  if (isFailure(entries)) return refused(entries);
  if (entries.length === 0) return { content: `${place.shown} is empty.`, is_error: false, outcome: 'empty' };
  const sorted = [...entries].sort((a, b) => rank(a.kind) - rank(b.kind) || compareNames(a.name, b.name));
  const lines = sorted.slice(0, MAX_ENTRIES).map(line);
  const left = sorted.length - lines.length;
  if (left > 0) {
    lines.push(
      `[${count(left, 'more entry', 'more entries')} not shown. List a sub-folder, or search for what you need.]`,
    );
  }
  return { content: lines.join('\n'), is_error: false, outcome: count(sorted.length, 'entry', 'entries') };
}

type Kind = 'file' | 'folder' | 'link';
const rank = (kind: Kind): number => (kind === 'folder' ? 0 : 1);
const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function line(entry: { name: string; kind: Kind; bytes: number }): string {
  switch (entry.kind) {
    case 'folder':
      return `${entry.name}/`;
    case 'link':
      return `${entry.name}  (symbolic link)`;
    case 'file':
      return `${entry.name}  ${size(entry.bytes)}`;
  }
}
