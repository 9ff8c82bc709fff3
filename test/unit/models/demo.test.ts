/** The demo through the real tools over a workspace in memory: what it says must be what they found. */
import { describe, it, expect } from 'vitest';
import { createDemoModel, demoPrompts } from '../../../src/models/demo/tour.js';
import { isFailure } from '../../../src/shared/failure.js';
import type {
  Clock,
  Model,
  ModelMessage,
  ModelRequest,
  Tool,
  ToolContext,
  Workspace,
} from '../../../src/ports.js';
import { editTool } from '../../../src/tools/edit.js';
import { listTool } from '../../../src/tools/list.js';
import { readTool } from '../../../src/tools/read.js';
import { runTool } from '../../../src/tools/run.js';
import { searchTool } from '../../../src/tools/search.js';
import { writeTool } from '../../../src/tools/write.js';
import { fakeWorkspace, finished, type FakeOptions, type FakeWorkspace } from '../tools/fake-workspace.js';
import { noSession } from '../tools/call.js';
import { attempt, clockAt, ends, parts, type Attempted } from './attempt.js';

const tools: readonly Tool[] = [listTool, readTool, searchTool, editTool, writeTool, runTool];

interface Turn {
  /** What each step called, "read README.md". */
  calls: string[];
  text: string;
  last: Attempted;
}

/** Just enough of an agent: calls are run, `deny` names tools the person refuses. */
const play = async (
  prompt: string,
  options: { workspace: Workspace; model?: Model; deny?: string[]; tools?: readonly Tool[] },
): Promise<Turn> => {
  const given = options.tools ?? tools;
  const model = options.model ?? createDemoModel({ clock: clockAt(0) });
  const context: ToolContext = {
    workspace: options.workspace,
    session: noSession,
    signal: new AbortController().signal,
    aside: new AbortController().signal,
    report: () => undefined,
  };
  const messages: ModelMessage[] = [{ role: 'user', parts: [{ type: 'text', text: prompt }] }];
  const request: ModelRequest = { system: '', messages, tools: given.map(({ spec }) => spec) };
  const calls: string[] = [];
  const texts: string[] = [];
  for (let step = 1; step <= 8; step += 1) {
    const last = await attempt(model, request);
    texts.push(last.text);
    const called = parts(last.events).flatMap((part) => (part.type === 'tool_call' ? [part] : []));
    if (called.length === 0) return { calls, text: texts.join('\n'), last };
    const ids = called.map((one, i) => ({ ...one, call_id: `c${step}_${i}`, input: one.input }));
    messages.push({ role: 'assistant', parts: [{ type: 'text', text: last.text }, ...ids] });
    for (const { call_id, name, input } of ids) {
      calls.push(`${name} ${(input as { path?: string }).path ?? ''}`.trim());
      const result = await run(given, name, input, context, options.deny ?? []);
      messages.push({ role: 'tool', parts: [{ call_id, name, ...result }] });
    }
  }
  throw new Error(`no end after ${calls.join(', ')}`);
};

const run = async (
  given: readonly Tool[],
  name: string,
  input: unknown,
  context: ToolContext,
  deny: readonly string[],
) => {
  if (deny.includes(name)) return { content: 'The person denied this call.', is_error: true };
  const tool = given.find(({ spec }) => spec.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  const prepared = await tool.prepare(input, context);
  if (isFailure(prepared)) return { content: prepared.message, is_error: true };
  const { content, is_error } = await tool.run(prepared, context);
  return { content, is_error };
};

const sample: FakeOptions = {
  files: {
    'README.md': '# Sample shop\n\nA tiny shop to try things on.\n',
    'package.json':
      '{"name":"sample-shop","description":"tiny","scripts":{"test":"vitest","lint":"eslint ."}}',
    'src/app.ts': 'export const total = 1;\n',
  },
};

const label = 'built-in demo, a script and not a language model';

describe('the demo about a folder', () => {
  it('lists and reads with the real tools and names what is really there', async () => {
    const { calls, text } = await play('what is in this folder?', { workspace: fakeWorkspace(sample) });
    expect(calls).toEqual(['list', 'read README.md']);
    for (const name of [
      '`src/`',
      '`README.md`',
      '`package.json`',
      'Sample shop',
      'A tiny shop to try things on.',
    ])
      expect(text).toContain(name);
    expect(text).toContain(label);
    expect(text).toContain('Bough: Select Model…');
  });

  it('says nothing of files that are not there', async () => {
    const workspace = fakeWorkspace({ files: { 'only.txt': 'the one line' } });
    const { calls, text } = await play('what is in this folder?', { workspace });
    expect(calls).toEqual(['list', 'read only.txt']);
    expect(text).toContain('1 entry');
    expect(text).toContain('the one line');
    expect(text).not.toMatch(/README|package\.json/);
  });

  it('reads the file that the prompt names', async () => {
    const { calls, text } = await play('What does package.json say?', { workspace: fakeWorkspace(sample) });
    expect(calls).toEqual(['list', 'read package.json']);
    expect(text).toMatch(/\*\*sample-shop\*\*.*“tiny”.*`test`, `lint`/s);
  });

  it('looks one level deeper when there are only folders', async () => {
    const { calls } = await play('hello', {
      workspace: fakeWorkspace({ files: { 'src/app.ts': 'export {};\n' } }),
    });
    expect(calls).toEqual(['list', 'list src', 'read src/app.ts']);
  });

  it('finds its way in a workspace of several folders', async () => {
    const workspace = fakeWorkspace({ folders: ['one', 'two'], files: { 'a.md': '# A' } });
    const { text } = await play('hello', { workspace });
    expect(text).toContain('`one/`, `two/`');
    expect(text).toContain('`a.md`');
  });

  it('tells an empty folder, and no folder, as the tools do', async () => {
    expect((await play('hello', { workspace: fakeWorkspace({ folders: [] }) })).text).toContain(
      'No folder is open.',
    );
  });

  it('searches for what it is asked to find', async () => {
    const { calls, text } = await play('find total', { workspace: fakeWorkspace(sample) });
    expect(calls).toEqual(['search']);
    expect(text).toContain('src/app.ts:1: export const total = 1;');
  });

  it('runs a command it is asked to run', async () => {
    const workspace = fakeWorkspace({ ...sample, run: () => finished('3 passed\n') });
    const { calls, text } = await play('run `npm test`', { workspace });
    expect(calls).toEqual(['run']);
    expect(workspace.commands).toEqual(['npm test']);
    expect(text).toContain('3 passed');
  });

  it('says which tool is missing', async () => {
    expect((await play('hello', { workspace: fakeWorkspace(sample), tools: [] })).text).toContain(
      'no tool `list`',
    );
  });

  it('takes a message that keeps the turn going for what it is', async () => {
    const model = createDemoModel({ clock: clockAt(0) });
    const { text } = await attempt(model, {
      system: '',
      tools: [],
      messages: [
        { role: 'user', parts: [{ type: 'text', text: '/demo branch' }] },
        { role: 'assistant', parts: [{ type: 'text', text: 'A conv' }] },
        { role: 'user', parts: [{ type: 'text', text: 'Continue.' }] },
      ],
    });
    expect(text).toContain('is a tree');
  });
});

describe('/demo edit', () => {
  const edit = (workspace: FakeWorkspace, deny: string[] = []) => play('/demo edit', { workspace, deny });

  it('reads a file, proposes one line, and finds it on the disk afterwards', async () => {
    const workspace = fakeWorkspace(sample);
    const { calls, text } = await edit(workspace);
    expect(calls).toEqual(['list', 'read README.md', 'edit README.md', 'search README.md']);
    expect(workspace.text('README.md')).toMatch(
      /^# Sample shop\n\nA tiny shop to try things on\.\n\nA line added by the Bough demo\..*\n$/,
    );
    expect(text).toContain('README.md:5: A line added by the Bough demo.');
    expect(text).toContain(label);
  });

  it('takes its line out again the second time', async () => {
    const workspace = fakeWorkspace(sample);
    const before = workspace.text('README.md');
    await edit(workspace);
    await edit(workspace);
    expect(workspace.text('README.md')).toBe(before);
  });

  it('changes nothing when it is denied, and says so', async () => {
    const workspace = fakeWorkspace(sample);
    const { text } = await edit(workspace, ['edit']);
    expect(workspace.applied).toEqual([]);
    expect(text).toContain('was not changed');
    expect(text).toContain('The person denied this call.');
  });

  it.each([
    ['code becomes a comment', { 'main.py': 'def f():\n    pass\n' }, 'main.py', /\n# A line added/],
    ['a text whose last lines repeat', { 'a.md': 'x\n\nx\n\nx\n' }, 'a.md', /^x\n\nx\n\nx\n\nA line added/],
    ['only files without comments', { 'data.json': '{}' }, 'bough-demo.md', /A line added/],
    ['an empty file', { 'a.md': '' }, 'bough-demo.md', /A line added/],
    ['nothing but folders', { 'src/a.ts': '' }, 'bough-demo.md', /A line added/],
  ])('%s', async (_name, files, path, shape) => {
    const workspace = fakeWorkspace({ files });
    await edit(workspace);
    expect(workspace.text(path)).toMatch(shape);
  });

  it('edits what the editor has, not what the disk has, and keeps remarks of the tool out of it', async () => {
    const workspace = fakeWorkspace({ files: { 'a.md': 'old\n' }, dirty: { 'a.md': 'unsaved\n' } });
    await edit(workspace);
    expect(workspace.applied[0]).toMatchObject({
      before: 'unsaved\n',
      after: expect.stringMatching(/^unsaved\n\nA line added/),
    });
  });
});

describe('the demo of trouble', () => {
  const workspace = fakeWorkspace(sample);
  const request = (prompt: string): ModelRequest => ({
    system: '',
    messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
    tools: [],
  });

  it('/demo rate-limit: asks to wait 2 s twice, without content, and then answers; again when asked again', async () => {
    const model = createDemoModel({ clock: clockAt(0) });
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 2; i += 1) {
        const { failure, events } = await attempt(model, request('/demo rate-limit'));
        expect(failure).toMatchObject({ kind: 'rate', transient: true, retry_after_ms: 2000 });
        expect(events).toHaveLength(1);
      }
      const answered = await attempt(model, request('/demo rate-limit'));
      expect(ends(answered.events)).toEqual(['finish']);
      expect(answered.text).toContain(label);
    }
  });

  it('/demo drop: breaks off in mid-text twice and then gives the whole', async () => {
    const model = createDemoModel({ clock: clockAt(0) });
    for (let i = 0; i < 2; i += 1) {
      const { failure, text, events } = await attempt(model, request('/demo drop'));
      expect(failure).toMatchObject({ kind: 'network', transient: true });
      expect(text.length).toBeGreaterThan(50);
      expect(parts(events)).toEqual([]);
    }
    const { last, text } = await attempt(model, request('/demo drop'));
    expect(last).toMatchObject({ type: 'finish', reason: 'stop' });
    expect(text).toContain(label);
  });

  it('counts failures by request: another conversation begins anew', async () => {
    const model = createDemoModel({ clock: clockAt(0) });
    await attempt(model, request('/demo drop'));
    const other = request('/demo drop');
    other.messages.unshift({ role: 'user', parts: [{ type: 'text', text: 'earlier' }] });
    expect((await attempt(model, other)).failure).toBeDefined();
    expect((await attempt(model, other)).failure).toBeDefined();
    expect((await attempt(model, other)).failure).toBeUndefined();
  });

  it.each(demoPrompts)('%s needs nothing but the request', async (prompt) => {
    const { last } = await attempt(createDemoModel({ clock: clockAt(0) }), request(prompt));
    expect(['finish', 'failure']).toContain(last?.type);
  });

  it('/demo crash streams long, one paced word at a time', async () => {
    const waits: number[] = [];
    const base = clockAt(0);
    const clock: Clock = { ...base, after: (ms, fire) => (waits.push(ms), base.after(0, fire)) };
    const { text } = await attempt(createDemoModel({ clock }), request('/demo crash'));
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(30_000);
    expect(text).toContain(label);
  });

  it('/demo branch needs no folder', async () => {
    const { calls, text } = await play('/demo branch', { workspace });
    expect(calls).toEqual([]);
    expect(text).toContain('edit your prompt');
  });

  it('stops at once, in mid-word, without a pending timer', async () => {
    let open = 0;
    const clock: Clock = {
      now: () => 0,
      elapsed: () => 0,
      after: (_ms, fire) => {
        open += 1;
        // Only the first three words ever come.
        const timer = open <= 3 ? setImmediate(fire) : undefined;
        return { dispose: () => (clearImmediate(timer), void (open = -1)) };
      },
    };
    const stop = new AbortController();
    const running = attempt(createDemoModel({ clock }), request('/demo crash'), {
      signal: stop.signal,
      onEvent: (event) => event.type === 'text' && open === 3 && setImmediate(() => stop.abort()),
    });
    const { failure, text } = await running;
    expect(failure).toMatchObject({ kind: 'cancelled' });
    expect(text).toBe("I am Bough's ");
    expect(open).toBe(-1);
  });
});
