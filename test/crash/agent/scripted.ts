/**
 * A turn that plays itself: what the model answers depends only on how many answers the conversation holds, so that any
 * process can take the script up where another died. Each tool call has a key and leaves a line when it begins and ends.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AppliedChange,
  Model,
  ModelEvent,
  ModelRequest,
  Tool,
  Workspace,
  WorkspacePath,
} from '../../../src/ports.js';
import type { Failure } from '../../../src/shared/failure.js';

/** Answers of the script; the last has no calls. */
export const STEPS = 10;
/** This one streams for longer than the journal may be behind. */
const SLOW_STEP = 5;
export const LAST_WORDS = 'All of the script is done.';

/** Calls that ask the person; the child decides them. */
export const ASKS = /^(2|4|7)\./;

const words = (step: number): string => {
  if (step >= STEPS) return LAST_WORDS;
  return `Step ${String(step)} begins with some words that stream slowly. `.repeat(
    step === SLOW_STEP ? 30 : 3,
  );
};

const pauseOf = (step: number): number => (step === SLOW_STEP ? 20 : 1);

function callsOf(step: number): { name: string; input: Record<string, string> }[] {
  if (step >= STEPS) return [];
  const key = (n: number): string => `${String(step)}.${String(n)}`;
  return [
    {
      name: 'write',
      input: { key: key(1), path: `file-${String(step)}.txt`, content: `content of step ${String(step)}\n` },
    },
    { name: 'run', input: { key: key(2), command: 'work' } },
    ...(step % 2 === 0
      ? [{ name: 'write', input: { key: key(3), path: 'shared.txt', content: `last of ${String(step)}\n` } }]
      : []),
  ];
}

export const scriptedModel: Model = {
  info: { provider: 'script', id: 'play', label: 'Script' },
  async *attempt(request: ModelRequest, { signal, onBytes }): AsyncGenerator<ModelEvent> {
    const step = request.messages.filter(({ role }) => role === 'assistant').length + 1;
    for (const delta of words(step).match(/.{1,12}/gs) ?? []) {
      await sleep(pauseOf(step), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      onBytes();
      yield { type: 'text', delta };
    }
    yield { type: 'part', part: { type: 'text', text: words(step) } };
    const calls = callsOf(step);
    for (const { name, input } of calls) {
      yield { type: 'part', part: { type: 'tool_call', name, input, raw_input: JSON.stringify(input) } };
    }
    yield {
      type: 'finish',
      reason: calls.length > 0 ? 'tool_calls' : 'stop',
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
  },
};

/** What really happened, whatever any log says: one synced line for each begin and end of a call. */
export class Effects {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = path.join(folder, 'effects.log');
  }

  note(line: string): void {
    const file = openSync(this.#file, 'a');
    appendFileSync(file, `${line}\n`);
    fsyncSync(file);
    closeSync(file);
  }

  read(): string[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').filter(Boolean) : [];
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const failure = (message: string): Failure => ({ kind: 'tool', message, transient: false });
const unused = (): Promise<Failure> => Promise.resolve(failure('The script does not use this.'));

/** Real files in one folder. */
export function folderWorkspace(folder: string): Workspace {
  const at = ({ shown }: WorkspacePath): string => path.join(folder, shown);
  const bytesOf = (file: WorkspacePath): Uint8Array | null =>
    existsSync(at(file)) ? readFileSync(at(file)) : null;
  return {
    folders: () => [{ name: 'w', uri: `file://${folder}`, path: folder }],
    trusted: true,
    resolve: (name) =>
      Promise.resolve({
        uri: `file://${folder}/${name}`,
        shown: name,
        folder: { name: 'w', uri: `file://${folder}` },
      }),
    hash: (file) => {
      const bytes = bytesOf(file);
      return Promise.resolve(bytes === null ? null : sha256(bytes));
    },
    apply: (changes) => {
      const applied = changes.map((change): AppliedChange => {
        const before_bytes = bytesOf(change.path);
        writeFileSync(at(change.path), change.after ?? '');
        return {
          path: change.path,
          text: change.after ?? '',
          saved: true,
          before_bytes,
          after_bytes: bytesOf(change.path),
        };
      });
      return Promise.resolve(applied);
    },
    bytes: unused,
    put: unused,
    list: unused,
    read: unused,
    search: unused,
    find: unused,
    language: {
      problems: () => [],
      freshProblems: () => Promise.resolve({ problems: [], isSure: true }),
      symbols: unused,
      findSymbols: unused,
      references: unused,
    },
    web: { nearby: () => null, open: unused },
    run: unused,
    runInTerminal: unused,
  };
}

const field = (input: unknown, name: string): string => {
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
  return typeof value === 'string' ? value : '';
};

export function scriptedTools(effects: Effects): Tool[] {
  const around = async <T>(input: unknown, work: () => Promise<T>): Promise<T> => {
    effects.note(`begin ${field(input, 'key')}`);
    await sleep(3);
    const result = await work();
    await sleep(3);
    effects.note(`end ${field(input, 'key')}`);
    return result;
  };
  return [
    {
      spec: { name: 'write', description: 'writes', input_schema: { type: 'object' } },
      risk: 'write',
      prepare: async (input, { workspace }) => {
        const file = (await workspace.resolve(field(input, 'path'))) as WorkspacePath;
        const hash = await workspace.hash(file);
        return {
          tool: 'write',
          input,
          sentence: `Write ${file.shown}`,
          risk: 'write',
          targets: [{ path: file.shown, hash }],
          proposal: [{ path: file, before: hash === null ? null : 'before', after: field(input, 'content') }],
          subject: field(input, 'key'),
        };
      },
      run: ({ input, proposal }, { workspace }) =>
        around(input, async () => {
          const changes = (await workspace.apply(proposal ?? [])) as AppliedChange[];
          return { content: `wrote ${field(input, 'key')}`, is_error: false, changes };
        }),
    },
    {
      spec: { name: 'run', description: 'runs', input_schema: { type: 'object' } },
      risk: 'run',
      prepare: (input) =>
        Promise.resolve({
          tool: 'run',
          input,
          sentence: 'Run work',
          risk: 'run',
          targets: [],
          subject: field(input, 'key'),
        }),
      run: ({ input }) =>
        around(input, () => Promise.resolve({ content: `ran ${field(input, 'key')}`, is_error: false })),
    },
  ];
}
