/** The model's own list of what is to be done: replaced as a whole, kept with the line of the conversation it stands on. */
import * as z from 'zod';
import type { Tool } from '../ports.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import type { Todo } from '../shared/notes.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { count } from './text.js';

const MAX_ITEMS = 100;
const MAX_TITLE = 500;

const schema = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(64).optional().describe('Keep the id of an item that was there before.'),
        title: z.string().regex(/\S/, 'must not be blank').max(MAX_TITLE),
        status: z.enum(['pending', 'in_progress', 'done']),
      }),
    )
    .max(MAX_ITEMS)
    .describe('The whole list, in order. It takes the place of the one before; an empty list clears it.'),
});

export const todoTool: Tool = {
  spec: {
    name: 'todo',
    description:
      'Keep a to-do list for work of several steps, which the person sees. Send the whole list each time something ' +
      'changes: when the work is planned, when an item is begun (in_progress) and when it is done. Not for work of one step.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  prepare(input) {
    const items = itemsOf(input);
    if (isFailure(items)) return Promise.resolve(items);
    const sentence = items.length === 0 ? 'Clear the to-do list' : `Set ${count(items.length, 'to-do')}`;
    return Promise.resolve({ tool: 'todo', input, sentence, risk: 'read', targets: [], subject: 'todo' });
  },

  run(prepared) {
    const todos = itemsOf(prepared.input);
    if (isFailure(todos)) return Promise.resolve(refused(todos));
    const done = todos.filter(({ status }) => status === 'done').length;
    const outcome = todos.length === 0 ? 'cleared' : `${String(done)} of ${String(todos.length)} done`;
    return Promise.resolve({
      content: `The to-do list is kept: ${outcome}.`,
      is_error: false,
      outcome,
      todos,
    });
  },
};

/** With an id for each: those without get the first free number. */
function itemsOf(input: unknown): Todo[] | Failure {
  const wanted = parseInput('todo', schema, input);
  if (isFailure(wanted)) return wanted;
  const taken = new Set<string>();
  for (const { id } of wanted.items) {
    if (id === undefined) continue;
    if (taken.has(id))
      return toolFailure(
        'invalid-input',
        `Two items have the id "${id}". Give each its own, or leave it out.`,
      );
    taken.add(id);
  }
  let next = 1;
  return wanted.items.map(({ id, title, status }) => {
    if (id !== undefined) return { id, title, status };
    while (taken.has(String(next))) next += 1;
    taken.add(String(next));
    return { id: String(next), title, status };
  });
}
