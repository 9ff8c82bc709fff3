/** Replaces pieces of a file, each named by its exact text, all or none. */
import * as z from 'zod';
import type { Tool } from '../ports.js';
import { isFailure, toolFailure } from '../shared/failure.js';
import { applyPrepared, currentFile } from './change.js';
import { inputSchema, parseInput } from './input.js';
import { applyEdits } from './replace.js';

const schema = z.strictObject({
  path: z.string().min(1).describe('File relative to the workspace folder.'),
  edits: z
    .array(
      z.strictObject({
        old_text: z
          .string()
          .min(1)
          .describe('Text that occurs exactly once in the file, white space included.'),
        new_text: z.string().describe('What stands in its place; may be empty.'),
      }),
    )
    .min(1)
    .describe(
      'All are matched against the file as it is now, must not overlap, and apply together or not at all.',
    ),
});

export const editTool: Tool = {
  spec: {
    name: 'edit',
    description:
      'Change an existing text file by replacing pieces of it. Each old_text must occur exactly once; add lines around it ' +
      'when it does not. Line endings are kept. The result shows the changed lines as they stand after saving.',
    input_schema: inputSchema(schema),
  },
  risk: 'write',

  async prepare(input, context) {
    const wanted = parseInput('edit', schema, input);
    if (isFailure(wanted)) return wanted;
    const current = await currentFile(wanted.path, context);
    if (isFailure(current)) return current;
    const { path, file } = current;
    if (file === null) {
      return toolFailure(
        'missing',
        `There is no file ${path.shown}. Use write to create it, or list to find the right path.`,
      );
    }
    const after = applyEdits(path.shown, file.text, wanted.edits);
    if (isFailure(after)) return after;
    return {
      tool: 'edit',
      input,
      sentence: `Edit ${path.shown}`,
      risk: 'write',
      targets: [{ path: path.shown, hash: file.hash }],
      proposal: [{ path, before: file.text, after }],
      subject: path.shown,
    };
  },

  run: applyPrepared,
};
