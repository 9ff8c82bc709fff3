/**
 * Gives the text of a file, or a range of its lines, as the editor has it. The text is plain, without line numbers, so that
 * `edit` can be given a piece of it unchanged; what is left out is said in a bracket behind it.
 */
import * as z from 'zod';
import type { Tool, ToolOutcome, WorkspaceText } from '../ports.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { count, head, linesOf } from './text.js';

const MAX_LINES = 2000;
const MAX_CHARS = 256 * 1024;

const schema = z.strictObject({
  path: z.string().min(1).describe('File relative to the workspace folder.'),
  start_line: z.int().min(1).optional().describe('First line, counted from 1.'),
  end_line: z.int().min(1).optional().describe('Last line, included.'),
});
type Input = z.infer<typeof schema>;

export const readTool: Tool = {
  spec: {
    name: 'read',
    description:
      `Read a text file of the workspace, unsaved changes of the editor included. The text comes without line numbers. ` +
      `At most ${MAX_LINES} lines at once; a bracket at the end says when there is more and how to go on.`,
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  async prepare(input, context) {
    const wanted = parseRange(input);
    if (isFailure(wanted)) return wanted;
    const path = await context.workspace.resolve(wanted.path);
    if (isFailure(path)) return path;
    const sentence = `Read ${path.shown}${rangeOf(wanted)}`;
    return { tool: 'read', input, sentence, risk: 'read', targets: [], subject: path.shown };
  },

  async run(prepared, context) {
    const wanted = parseRange(prepared.input);
    if (isFailure(wanted)) return refused(wanted);
    const path = await context.workspace.resolve(wanted.path);
    if (isFailure(path)) return refused(path);
    const file = await context.workspace.read(path);
    if (isFailure(file)) return refused(file);
    return excerpt(path.shown, file, wanted);
  },
};

function parseRange(input: unknown): Input | Failure {
  const wanted = parseInput('read', schema, input);
  if (isFailure(wanted)) return wanted;
  const { start_line = 1, end_line } = wanted;
  if (end_line === undefined || end_line >= start_line) return wanted;
  return toolFailure('invalid-input', `end_line ${end_line} is before start_line ${start_line}.`);
}

function rangeOf({ start_line, end_line }: Input): string {
  if (end_line !== undefined) return ` ${start_line ?? 1}–${end_line}`;
  return start_line === undefined ? '' : ` from line ${start_line}`;
}

function excerpt(shown: string, file: WorkspaceText, { start_line = 1, end_line }: Input): ToolOutcome {
  const lines = linesOf(file.text);
  if (file.text.trim() === '')
    return { content: blank(shown, file, lines.length), is_error: false, outcome: 'blank' };
  if (start_line > lines.length) {
    return refused(
      toolFailure(
        'past-end',
        `${shown} has ${count(lines.length, 'line')}; start_line ${start_line} is behind its end.`,
      ),
    );
  }
  const wanted = lines.slice(start_line - 1, end_line ?? lines.length);
  const kept = fitting(wanted);
  const last = start_line + kept.lines.length - 1;
  const whole = start_line === 1 && last === lines.length && !kept.cutLine;
  const notes = [
    ...(whole ? [] : [extent(shown, start_line, last, lines.length, kept)]),
    ...remarks(shown, file),
  ];
  const text = whole ? file.text.replaceAll('\r\n', '\n') : kept.lines.join('\n');
  return {
    content:
      notes.length === 0
        ? text
        : `${text.replace(/\n$/, '')}\n\n${notes.map((note) => `[${note}]`).join('\n')}`,
    is_error: false,
    outcome: count(kept.lines.length, 'line'),
  };
}

interface Fitting {
  lines: string[];
  /** Characters of the only line when it had to be cut. */
  cutLine: number | undefined;
}

function fitting(lines: readonly string[]): Fitting {
  const kept: string[] = [];
  let chars = 0;
  for (const line of lines.slice(0, MAX_LINES)) {
    chars += line.length + 1;
    if (chars > MAX_CHARS) break;
    kept.push(line);
  }
  const first = lines[0];
  if (kept.length > 0 || first === undefined) return { lines: kept, cutLine: undefined };
  return { lines: [head(first, MAX_CHARS)], cutLine: first.length };
}

function extent(shown: string, first: number, last: number, total: number, { cutLine }: Fitting): string {
  const range = first === last ? `Line ${first}` : `Lines ${first}–${last}`;
  const cut =
    cutLine === undefined
      ? ''
      : ` The line has ${cutLine.toLocaleString('en-US')} characters and is cut here; use search or run to see more of it.`;
  const rest = last < total ? ` Read on with start_line ${last + 1}.` : '';
  return `${range} of ${total} of ${shown}.${cut}${rest}`;
}

function remarks(shown: string, file: WorkspaceText): string[] {
  const notes: string[] = [];
  if (file.dirty) notes.push(`${shown} has unsaved changes in the editor; this is the text in the editor.`);
  if (file.lossy === true) {
    notes.push(
      `${shown} is not valid in its encoding: each wrong byte is shown as U+FFFD, and edit refuses to change the file. ` +
        'When VS Code is told its encoding (files.encoding, or "Reopen with Encoding"), Bough reads and edits it too.',
    );
  }
  return notes;
}

function blank(shown: string, file: WorkspaceText, lines: number): string {
  return file.text === ''
    ? `[${shown} is empty.]`
    : `[${shown} has only white space: ${count(lines, 'line')}.]`;
}
