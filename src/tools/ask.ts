/** Asks the person a question. It waits like an approval: over a reload, and for as long as it takes. */
import * as z from 'zod';
import type { Tool } from '../ports.js';
import { isFailure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { oneLine } from './text.js';

const schema = z.strictObject({
  question: z
    .string()
    .regex(/\S/, 'must not be blank')
    .max(900)
    .describe('One short question, in the language of the person.'),
  options: z
    .array(z.string().regex(/\S/, 'must not be blank').max(200))
    .max(6)
    .optional()
    .describe('Answers to choose from. Another answer can always be written.'),
});

export const askTool: Tool = {
  spec: {
    name: 'ask',
    description:
      'Ask the person one question when something essential is unclear and cannot be found out, and wait for the answer. ' +
      'Not for permission: calls that need it ask by themselves.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  prepare(input) {
    const wanted = parseInput('ask', schema, input);
    if (isFailure(wanted)) return Promise.resolve(wanted);
    const sentence = wanted.question.trim();
    return Promise.resolve({
      tool: 'ask',
      input,
      sentence,
      risk: 'read',
      targets: [],
      subject: 'ask',
      isAlwaysAsked: true,
    });
  },

  run(_prepared, { said }) {
    const answer = said?.trim() ?? '';
    if (answer === '')
      return Promise.resolve({ content: 'The person gave no answer to this question.', is_error: true });
    return Promise.resolve({ content: answer, is_error: false, outcome: oneLine(answer, 80) });
  },
};
