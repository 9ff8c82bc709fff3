/** Runs one shell command to its end, its time limit or Stop, and tells what it printed and how it ended. */
import * as z from 'zod';
import type { CommandResult, RunOptions, Tool, ToolContext, ToolOutcome, WorkspacePath } from '../ports.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused, refuseUntrusted } from './outcome.js';
import { refuseTyping, tellTerminal } from './run-in-terminal.js';
import { count, duration, oneLine } from './text.js';

const MINUTE = 60_000;
const DEFAULT_TIMEOUT = 2 * MINUTE;
const MAX_TIMEOUT = 30 * MINUTE;

const schema = z.strictObject({
  command: z
    .string()
    .regex(/\S/, 'must not be blank')
    // Not as a pattern: several providers take no \0 in a schema.
    .refine((command) => !command.includes('\0'), 'must not contain a NUL character')
    .describe('Passed to the shell as it is.'),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe('Folder to run in, relative to the workspace folder. Default: the workspace folder.'),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT)
    .optional()
    .describe(`Default ${DEFAULT_TIMEOUT}, at most ${MAX_TIMEOUT}.`),
});

interface Plan {
  command: string;
  cwd: WorkspacePath;
  timeoutMs: number;
}

export const runTool: Tool = {
  spec: {
    name: 'run',
    description:
      'Run a shell command in the workspace and wait for its end. Output of stdout and stderr comes in the order it was ' +
      'printed; of very long output the middle is left out. Standard input is closed: nothing can be typed. Processes ' +
      'that the command leaves in the background are ended with it.',
    input_schema: inputSchema(schema),
  },
  risk: 'run',

  async prepare(input, context) {
    const plan = await planOf(input, context);
    if (isFailure(plan)) return plan;
    const isRoot = plan.cwd.shown === '.';
    return {
      tool: 'run',
      input,
      sentence: `Run ${oneLine(plan.command)}${isRoot ? '' : ` in ${plan.cwd.shown}`}`,
      risk: 'run',
      targets: [],
      subject: plan.command,
    };
  },

  async run(prepared, context) {
    const plan = await planOf(prepared.input, context);
    if (isFailure(plan)) return refused(plan);
    const { command, ...place } = plan;
    const options = { ...place, signal: context.signal, lifted: context.aside, onOutput: context.report };
    if (context.place === 'terminal') return inTerminal(plan, options, context);
    const result = await context.workspace.run(command, options);
    return isFailure(result) ? refused(result) : tell(result, plan, context.signal.aborted);
  },
};

async function inTerminal(
  { command, timeoutMs }: Plan,
  options: RunOptions,
  { workspace, signal }: ToolContext,
): Promise<ToolOutcome> {
  const untypable = refuseTyping(command);
  if (untypable !== null) return refused(untypable);
  const result = await workspace.runInTerminal(command.trimEnd(), options);
  return isFailure(result) ? refused(result) : tellTerminal(result, { timeoutMs, stopped: signal.aborted });
}

async function planOf(input: unknown, context: ToolContext): Promise<Plan | Failure> {
  const wanted = parseInput('run', schema, input);
  if (isFailure(wanted)) return wanted;
  const untrusted = refuseUntrusted(context, 'run commands');
  if (untrusted !== null) return untrusted;
  const cwd = await context.workspace.resolve(wanted.cwd ?? firstFolder(context));
  if (isFailure(cwd)) return cwd;
  if (cwd.folder.path === undefined) {
    return toolFailure(
      'virtual',
      'Commands cannot run here: the files of this workspace are not on the disk of a machine. Use the other tools.',
    );
  }
  return { command: wanted.command, cwd, timeoutMs: wanted.timeout_ms ?? DEFAULT_TIMEOUT };
}

/** With several workspace folders a command without `cwd` runs in the first, as a new terminal does. */
function firstFolder({ workspace }: ToolContext): string {
  const [first, second] = workspace.folders();
  return first === undefined || second === undefined ? '.' : (first.path ?? first.name);
}

function tell(result: CommandResult, plan: Plan, stopped: boolean): ToolOutcome {
  const time = duration(result.elapsed_ms);
  const output =
    result.output.trim() === '' ? '[The command printed nothing.]' : result.output.replace(/\n+$/, '');
  const end = endOf(result, plan, stopped, time);
  const left = result.left_running ?? 0;
  const over = result.overwritten ?? 0;
  const notes = [
    ...(left === 0 ? [] : [`[It left ${count(left, 'process', 'processes')} running; they were ended.]`]),
    ...(over === 0
      ? []
      : [
          `[Lines were written over ${count(over, 'time')}, as progress is shown; they stand here as they were last. Pipe through tr '\\r' '\\n' to see all.]`,
        ]),
  ];
  return {
    content: [output, '', `[${end.sentence}]`, ...notes].join('\n'),
    is_error: result.exit_code !== 0 || stopped,
    outcome: `${end.outcome} · ${time}`,
    ...(result.styles === undefined ? {} : { styles: result.styles }),
  };
}

function endOf(
  result: CommandResult,
  plan: Plan,
  stopped: boolean,
  time: string,
): { sentence: string; outcome: string } {
  if (result.timed_out) {
    const limit = duration(plan.timeoutMs);
    const sentence = `The command was ended after ${time}: its time limit was ${limit}. Give timeout_ms, at most ${MAX_TIMEOUT}, to allow more.`;
    return { sentence, outcome: 'timed out' };
  }
  if (stopped)
    return { sentence: `The command was stopped after ${time}, before its end.`, outcome: 'stopped' };
  if (result.exit_code === null) {
    const signal = result.signal ?? 'an unknown signal';
    return { sentence: `The command was ended by ${signal} after ${time}.`, outcome: signal };
  }
  return { sentence: `Exit code ${result.exit_code} after ${time}.`, outcome: `exit ${result.exit_code}` };
}
