/** Brings the instructions of a skill into the conversation, or shows one of the files that belong to it. Changes nothing. */
import * as z from 'zod';
import type { Skills, Tool } from '../ports.js';
import { isFailure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { count } from './text.js';

const schema = z.strictObject({
  name: z.string().min(1).describe('The name of the skill, as it is listed.'),
  file: z
    .string()
    .min(1)
    .optional()
    .describe('One of its own files that its instructions name, by its path in the folder of the skill.'),
});

export const createSkillTool = (skills: Skills): Tool => ({
  spec: {
    name: 'skill',
    description:
      'Load the instructions of a skill, before you begin a task that it fits. With `file`: read one of the files that ' +
      'belong to it.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  prepare(input) {
    const wanted = parseInput('skill', schema, input);
    if (isFailure(wanted)) return Promise.resolve(wanted);
    const { name, file } = wanted;
    const sentence = file === undefined ? `Load the skill ${name}` : `Read ${file} of the skill ${name}`;
    return Promise.resolve({ tool: 'skill', input, sentence, risk: 'read', targets: [], subject: name });
  },

  async run(prepared) {
    const wanted = parseInput('skill', schema, prepared.input);
    if (isFailure(wanted)) return refused(wanted);
    const { name, file } = wanted;
    if (file !== undefined) {
      const text = await skills.file(name, file);
      if (isFailure(text)) return refused(text);
      return { content: text, is_error: false, outcome: count(text.length, 'character') };
    }
    const skill = await skills.load(name, 'model');
    if (isFailure(skill)) return refused(skill);
    return {
      content: `The skill ${name} is loaded: its instructions stand in this conversation in a message of their own.`,
      is_error: false,
      outcome: 'loaded',
      skill,
    };
  },
});
