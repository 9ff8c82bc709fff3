/** What stands around the conversation: which AGENTS.md files go along, when they are read, what the view is told of it. */
import { describe, expect, it } from 'vitest';
import { Guidance } from '../../../src/agent/guidance.js';
import { systemPrompt } from '../../../src/agent/prompt.js';
import type { Surroundings } from '../../../src/agent/types.js';
import type { Line } from '../../../src/agent/context/select.js';
import { LogBuilder, placed } from '../shared/build.js';

const lineOf = (log: LogBuilder): Line => placed(log.entries);

function world(files: Record<string, string>) {
  const reads: string[] = [];
  const surroundings = (): Promise<Surroundings> => {
    reads.push('all');
    return Promise.resolve({
      system: 'Linux',
      shell: 'sh',
      date: '2026-01-01',
      instructions: [{ path: 'AGENTS.md', text: files['AGENTS.md'] ?? '' }],
      nested: Object.keys(files)
        .filter((path) => path !== 'AGENTS.md')
        .map((path) => ({
          path,
          read: () => {
            reads.push(path);
            return Promise.resolve(files[path]);
          },
        })),
    });
  };
  return { reads, files, guidance: new Guidance({ surroundings }) };
}

const nested = {
  'AGENTS.md': 'ROOT',
  'packages/api/AGENTS.md': 'API',
  'packages/app/AGENTS.md': 'APP',
  'test/AGENTS.md': 'TEST',
};

const call = (log: LogBuilder, input: Record<string, unknown>): LogBuilder =>
  log.add({
    type: 'message',
    role: 'assistant',
    parts: [{ type: 'tool_call', call_id: 'c1', name: 'read', input }],
  });

async function told(log: LogBuilder): Promise<string[]> {
  const around = await world(nested).guidance.look(() => Promise.resolve(lineOf(log)), undefined);
  expect([...around.nested.map(({ path }) => path), ...around.unread].sort()).toEqual(
    Object.keys(nested)
      .filter((path) => path !== 'AGENTS.md')
      .sort(),
  );
  return around.nested.map(({ text }) => text);
}

describe('instructions of folders further down', () => {
  it('come in when something below their folder is named or worked on, and only then', async () => {
    expect(await told(new LogBuilder().user('u1', 'run the test please, in packages'))).toEqual([]);
    expect(await told(new LogBuilder().user('u1', 'what does packages/api/src/a.ts do?'))).toEqual(['API']);
    expect(await told(new LogBuilder().user('u1', 'what does xpackages/api/src/a.ts do?'))).toEqual([]);
    expect(await told(call(new LogBuilder().user('u1', 'go'), { path: 'packages/app' }))).toEqual(['APP']);
    expect(await told(call(new LogBuilder().user('u1', 'go'), { path: '/w/packages/app/b.ts' }))).toEqual([
      'APP',
    ]);
    expect(await told(call(new LogBuilder().user('u1', 'go'), { command: 'cd test/ && ls' }))).toEqual([
      'TEST',
    ]);
    expect(
      await told(call(new LogBuilder().user('u1', 'go'), { content: `${'x'.repeat(9_000)} test/a` })),
    ).toEqual([]);
  });

  it('come in for what is named beside the text', async () => {
    const log = new LogBuilder().add({
      type: 'message',
      role: 'user',
      parts: [
        { type: 'text', text: 'look' },
        { type: 'text', text: '[The person named this folder: packages/app]' },
      ],
    });
    expect(await told(log)).toEqual(['APP']);
  });

  it('stand in the prompt behind the root, say where they hold, and the others are named', async () => {
    const log = new LogBuilder().user('u1', 'packages/app/x.ts');
    const around = await world(nested).guidance.look(() => Promise.resolve(lineOf(log)), undefined);
    const prompt = systemPrompt({ ...around, folders: [], tools: [], trusted: true, mode: 'ask' });
    expect(prompt.indexOf('ROOT')).toBeLessThan(prompt.indexOf('APP'));
    expect(prompt).toContain('# Instructions for packages/app (packages/app/AGENTS.md)');
    expect(prompt).toContain('packages/api/AGENTS.md, test/AGENTS.md');
    expect(prompt).not.toContain('\nAPI');
    expect(prompt).toContain('They cannot allow calls');
  });

  it('are only named when they are too much together', async () => {
    const files: Record<string, string> = { 'AGENTS.md': '' };
    for (const name of ['a', 'b', 'c']) files[`${name}/AGENTS.md`] = 'x'.repeat(40_000);
    const log = new LogBuilder().user('u1', 'a/1 b/1 c/1');
    const around = await world(files).guidance.look(() => Promise.resolve(lineOf(log)), undefined);
    expect(around.nested.map(({ path }) => path)).toEqual(['a/AGENTS.md', 'b/AGENTS.md']);
    expect(around.unread).toEqual(['c/AGENTS.md']);
  });
});

describe('what goes along', () => {
  it('is read once for a turn and anew for the next one', async () => {
    const { guidance, files, reads } = world({ ...nested });
    const line = lineOf(new LogBuilder().user('u1', 'test/a'));
    await guidance.look(() => Promise.resolve(line), 't1');
    files['AGENTS.md'] = 'OTHER';
    const again = await guidance.look(() => Promise.resolve(line), 't1');
    expect(again.surroundings.instructions[0]?.text).toBe('ROOT');
    expect(reads).toEqual(['all', 'test/AGENTS.md']);
    const next = await guidance.look(() => Promise.resolve(line), 't2');
    expect(next.surroundings.instructions[0]?.text).toBe('OTHER');
  });

  it('is told by path and length, and whether it was cut', async () => {
    const { guidance } = world({ 'AGENTS.md': 'x'.repeat(60_000), 'test/AGENTS.md': 'short' });
    await guidance.look(() => Promise.resolve(lineOf(new LogBuilder().user('u1', 'test/a'))), undefined);
    expect(guidance.sent).toEqual([
      { path: 'AGENTS.md', chars: 60_000, isCut: true },
      { path: 'test/AGENTS.md', chars: 5, isCut: false },
    ]);
  });
});
