/** Hands a part of the task to an agent of its own, and gives back what it came to. */
import * as z from 'zod';
import type { SubagentEnd, Tool } from '../ports.js';
import { isFailure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { count } from './text.js';

const MAX_TASK = 50_000;

const schema = z.strictObject({
  task: z
    .string()
    .regex(/\S/, 'must not be blank')
    .max(MAX_TASK)
    .describe('All it has to know: it sees nothing of this conversation. Say what it shall give back.'),
  agent: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be a short name like "reviewer"')
    .optional()
    .describe('What it is called, by its part: "reviewer".'),
  session: z
    .string()
    .min(1)
    .optional()
    .describe('Go on with a subagent that you had before, by the id that stood in its result.'),
  background: z
    .boolean()
    .optional()
    .describe('True: it works beside you, and its report comes when it is done. Default: you wait for it.'),
});

export const subagentTool: Tool = {
  spec: {
    name: 'subagent',
    description:
      'Give a part of the work that stands for itself to another agent with the same tools, and get its report. For wide ' +
      'searches, reviews and work whose details you do not need. The person sees its session and approves what it does there.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  prepare(input) {
    const wanted = parseInput('subagent', schema, input);
    if (isFailure(wanted)) return Promise.resolve(wanted);
    const where = wanted.background === true ? ' in the background' : '';
    const sentence = `Give a task to ${wanted.agent ?? 'a subagent'}${where}`;
    return Promise.resolve({
      tool: 'subagent',
      input,
      sentence,
      risk: 'read',
      begins: true,
      targets: [],
      subject: 'subagent',
    });
  },

  async run(prepared, { session, signal, report }) {
    const wanted = parseInput('subagent', schema, prepared.input);
    if (isFailure(wanted)) return refused(wanted);
    const { task, agent = 'subagent', session: before, background } = wanted;
    const end = await session.delegate(
      {
        ...{ task, agent },
        ...(before === undefined ? {} : { session: before }),
        ...(background === true ? { isBeside: true } : {}),
      },
      { signal, report },
    );
    if (isFailure(end)) return refused(end);
    return {
      content: `${end.summary}\n\n[${wordsOf(end)}. Its session is ${end.session}.]`,
      is_error: end.status === 'failed' || end.status === 'stopped',
      outcome: `${end.status} · ${count(end.steps, 'step')}`,
    };
  },
};

function wordsOf({ status }: SubagentEnd): string {
  switch (status) {
    case 'completed':
      return 'The subagent has finished';
    case 'blocked':
      return 'The subagent gave the task back as blocked';
    case 'stopped':
      return 'The subagent was stopped; what it did stays';
    case 'failed':
      return 'The subagent failed; what it did stays';
  }
}
