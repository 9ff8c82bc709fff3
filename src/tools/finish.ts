/** The model's word that a piece of work is over: done, or blocked by something it cannot change. Ends the turn. */
import * as z from 'zod';
import type { Tool } from '../ports.js';
import { isFailure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';

const MAX_SUMMARY = 4_000;

const schema = z.strictObject({
  status: z
    .enum(['completed', 'blocked'])
    .describe('blocked: it cannot be done without the person, or cannot be done at all.'),
  summary: z
    .string()
    .regex(/\S/, 'must not be blank')
    .max(MAX_SUMMARY)
    .describe('For the person: what was done and checked; when blocked, what is missing.'),
});

export const finishTool: Tool = {
  spec: {
    name: 'finish',
    description:
      'End a longer piece of work, or a task that was handed to you, with its outcome. The turn is over with this call. ' +
      'Not for answering a question: just answer.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  prepare(input) {
    const wanted = parseInput('finish', schema, input);
    if (isFailure(wanted)) return Promise.resolve(wanted);
    const sentence = wanted.status === 'completed' ? 'Finish the work' : 'Give the work back as blocked';
    return Promise.resolve({ tool: 'finish', input, sentence, risk: 'read', targets: [], subject: 'finish' });
  },

  run(prepared) {
    const wanted = parseInput('finish', schema, prepared.input);
    if (isFailure(wanted)) return Promise.resolve(refused(wanted));
    return Promise.resolve({
      content: wanted.summary,
      is_error: false,
      outcome: wanted.status,
      finish: { status: wanted.status, summary: wanted.summary },
    });
  },
};
