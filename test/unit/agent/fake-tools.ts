/** Tools with one line of behaviour each, and a record of what really ran. */
import type { Prepared, Tool, ToolOutcome, Workspace } from '../../../src/ports.js';
import { isFailure, type Failure } from '../../../src/shared/failure.js';

export type ToolLog = string[];

const failure = (message: string): Failure => ({ kind: 'tool', message, transient: false });

const fieldOf = (input: unknown, name: string): string => {
  const value =
    typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : '';
};

const spec = (name: string): Tool['spec'] => ({ name, description: name, input_schema: { type: 'object' } });

/** `read {path}`, `write {path, content}`, `run {command}`; a command `hang` runs until it is stopped, `deaf` even then. */
export function fakeTools(ran: ToolLog): Tool[] {
  return [readTool(ran), writeTool(ran), runTool(ran)];
}

async function resolved(
  workspace: Workspace,
  path: string,
): Promise<Extract<Awaited<ReturnType<Workspace['resolve']>>, { uri: string }> | Failure> {
  return workspace.resolve(path);
}

function readTool(ran: ToolLog): Tool {
  return {
    spec: spec('read'),
    risk: 'read',
    prepare: async (input, { workspace }) => {
      const path = await resolved(workspace, fieldOf(input, 'path'));
      if (isFailure(path)) return path;
      return { ...prepared('read', input, `Read ${path.shown}`), risk: 'read', subject: path.shown };
    },
    run: async ({ subject }, { workspace }): Promise<ToolOutcome> => {
      ran.push(`read ${subject}`);
      const path = await resolved(workspace, subject);
      const file = isFailure(path) ? path : await workspace.read(path);
      return isFailure(file)
        ? { content: file.message, is_error: true }
        : { content: file.text, is_error: false };
    },
  };
}

function writeTool(ran: ToolLog): Tool {
  return {
    spec: spec('write'),
    risk: 'write',
    prepare: async (input, { workspace }) => {
      const path = await resolved(workspace, fieldOf(input, 'path'));
      if (isFailure(path)) return path;
      const hash = await workspace.hash(path);
      const file = hash === null ? null : await workspace.read(path);
      if (isFailure(file)) return file;
      return {
        ...prepared('write', input, `Write ${path.shown}`),
        targets: [{ path: path.shown, hash }],
        proposal: [{ path, before: file?.text ?? null, after: fieldOf(input, 'content') }],
        subject: path.shown,
      };
    },
    run: async ({ subject, proposal }, { workspace }): Promise<ToolOutcome> => {
      ran.push(`write ${subject}`);
      const changes = await workspace.apply(proposal ?? []);
      if (isFailure(changes)) return { content: changes.message, is_error: true };
      return { content: `Wrote ${subject}.`, is_error: false, changes };
    },
  };
}

function runTool(ran: ToolLog): Tool {
  return {
    spec: spec('run'),
    risk: 'run',
    prepare: (input) => {
      const command = fieldOf(input, 'command');
      if (command === '') return Promise.resolve(failure('There is no command.'));
      return Promise.resolve({ ...prepared('run', input, `Run ${command}`), risk: 'run', subject: command });
    },
    run: async ({ subject }, { signal, report }): Promise<ToolOutcome> => {
      ran.push(`run ${subject}`);
      report(`${subject}\n`);
      if (subject === 'throw') throw new Error('a bug in the tool');
      if (subject === 'deaf') await new Promise(() => undefined);
      if (subject === 'hang' && !signal.aborted) {
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
        return { content: 'killed', is_error: true };
      }
      return { content: `ran ${subject}`, is_error: false };
    },
  };
}

const prepared = (tool: string, input: unknown, sentence: string): Prepared => ({
  tool,
  input,
  sentence,
  risk: 'write',
  targets: [],
  subject: '',
});
