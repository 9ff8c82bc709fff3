/** Creates a file, folders included, or replaces the whole text of one. */
import * as z from 'zod';
import type { Tool } from '../ports.js';
import { isFailure } from '../shared/failure.js';
import { applyPrepared, currentFile, leavePrepared } from './change.js';
import { inputSchema, parseInput } from './input.js';
import { commonEnding, withEnding } from './text.js';

const schema = z.strictObject({
  path: z.string().min(1).describe('File relative to the workspace folder. Missing folders are created.'),
  content: z.string().describe('The whole text of the file.'),
});

export const writeTool: Tool = {
  spec: {
    name: 'write',
    description:
      'Create a text file, or replace all of an existing one. To change parts of a file use edit. ' +
      'An existing file keeps its kind of line endings.',
    input_schema: inputSchema(schema),
  },
  risk: 'write',

  async prepare(input, context) {
    const wanted = parseInput('write', schema, input);
    if (isFailure(wanted)) return wanted;
    const current = await currentFile(wanted.path, context);
    if (isFailure(current)) return current;
    const { path, file } = current;
    const after =
      file?.text.includes('\n') === true
        ? withEnding(wanted.content, commonEnding(file.text))
        : wanted.content;
    const prepared = {
      tool: 'write',
      input,
      sentence: `${file === null ? 'Create' : 'Write'} ${path.shown}`,
      targets: [{ path: path.shown, hash: file?.hash ?? null }],
      subject: path.shown,
    };
    // What the file has already changes nothing: there is nothing to propose, nor to ask about.
    return file?.text === after
      ? { ...prepared, risk: 'read' }
      : { ...prepared, risk: 'write', proposal: [{ path, before: file?.text ?? null, after }] };
  },

  run: (prepared, context) =>
    prepared.proposal === undefined ? leavePrepared(prepared, context) : applyPrepared(prepared, context),
};
