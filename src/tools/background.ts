/** What goes on beside the turn, a command or a subagent: reads its output, waits for its end, or ends it. */
import * as z from 'zod';
import type { BackgroundCall, Tool, ToolOutcome } from '../ports.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';

const MAX_WAIT = 10 * 60_000;

const schema = z.strictObject({
  id: z.string().min(1).describe('The id that the result of the command named.'),
  action: z
    .enum(['read', 'wait', 'end'])
    .default('read')
    .describe('read: what it printed so far. wait: until it is over. end: end it now.'),
  timeout_ms: z.int().min(1).max(MAX_WAIT).default(60_000).describe('How long wait waits at most.'),
});

const verbs = { read: 'Look at', wait: 'Wait for', end: 'End' } as const;

export const backgroundTool: Tool = {
  spec: {
    name: 'background',
    description:
      'Look after a command that the person let go on in the background, or a subagent that works there: read its latest ' +
      'output, wait for its end, or end it.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  prepare(input) {
    const wanted = parseInput('background', schema, input);
    if (isFailure(wanted)) return Promise.resolve(wanted);
    return Promise.resolve({
      tool: 'background',
      input,
      sentence: `${verbs[wanted.action]} what goes on in the background`,
      risk: 'read',
      targets: [],
      subject: wanted.id,
    });
  },

  async run(prepared, { session, signal }) {
    const wanted = parseInput('background', schema, prepared.input);
    if (isFailure(wanted)) return refused(wanted);
    const call = session.background(wanted.id);
    if (call === undefined) return refused(unknown(wanted.id));
    if (wanted.action === 'end') call.end();
    if (wanted.action !== 'read') await overOrLater(call, wanted.timeout_ms, signal);
    return tell(call);
  },
};

const unknown = (id: string): Failure =>
  toolFailure(
    'no-call',
    `Nothing is known by "${id}". One that goes on in the background ends with its window, and is forgotten some time after its end.`,
  );

async function overOrLater(call: BackgroundCall, ms: number, signal: AbortSignal): Promise<void> {
  if (!call.isRunning) return;
  const enough = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  await Promise.race([
    call.ended,
    new Promise<void>((resolve) => {
      enough.addEventListener('abort', () => resolve(), { once: true });
      if (enough.aborted) resolve();
    }),
  ]);
}

function tell(call: BackgroundCall): ToolOutcome {
  const text = call.read().trimEnd();
  if (!call.isRunning) return { content: text, is_error: false, outcome: 'over' };
  const output = text === '' ? '[It printed nothing so far.]' : text;
  return { content: `${output}\n\n[It is still running.]`, is_error: false, outcome: 'still running' };
}
