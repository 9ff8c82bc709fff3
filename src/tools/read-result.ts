/** Reads on in a result that was too long to be told whole: at most 20 000 characters at once, of this session only. */
import * as z from 'zod';
import type { Tool } from '../ports.js';
import { isFailure, toolFailure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { count } from './text.js';

const MAX_CHARS = 20_000;

const schema = z.strictObject({
  id: z.string().min(1).describe('The id that stands in the mark of the shortened result.'),
  offset: z.int().min(0).default(0).describe('First character, counted from 0 in Unicode code points.'),
  limit: z.int().min(1).max(MAX_CHARS).default(MAX_CHARS).describe('How many characters.'),
});

export const readResultTool: Tool = {
  spec: {
    name: 'read_result',
    description:
      `Read a part of an earlier tool result that was too long to be shown whole. At most ${MAX_CHARS} characters at ` +
      `once; a bracket at the end says where to go on.`,
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  prepare(input) {
    const wanted = parseInput('read_result', schema, input);
    if (isFailure(wanted)) return Promise.resolve(wanted);
    return Promise.resolve({
      tool: 'read_result',
      input,
      sentence: `Read on in a long result from character ${wanted.offset}`,
      risk: 'read',
      targets: [],
      subject: wanted.id,
    });
  },

  async run(prepared, { session }) {
    const wanted = parseInput('read_result', schema, prepared.input);
    if (isFailure(wanted)) return refused(wanted);
    const piece = await session.readResult(wanted.id, wanted.offset, wanted.limit);
    if (isFailure(piece)) return refused(piece);
    const { text, offset, chars } = piece;
    if (offset >= chars && offset > 0) {
      return refused(
        toolFailure(
          'past-end',
          `The result has ${count(chars, 'character')}; offset ${offset} is behind its end.`,
        ),
      );
    }
    const end = offset + [...text].length;
    const rest = end < chars ? ` Read on with offset ${end}.` : ' This is its end.';
    return {
      content: `${text}\n\n[Characters ${offset}–${end} of ${chars}.${rest}]`,
      is_error: false,
      outcome: count(end - offset, 'character'),
    };
  },
};
