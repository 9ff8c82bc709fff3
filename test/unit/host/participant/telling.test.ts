import { describe, expect, it } from 'vitest';
import { lineOf, tellTurn, type Told } from '../../../../src/host/participant/telling.js';
import { begins, calls, dropped, fails, text, type Reply } from '../../agent/fake-model.js';
import { idle, makeWorld } from '../world.js';

/** What a chat is told of one prompt; `before` decides on what waits. */
async function tell(script: readonly Reply[], rounds = 0): Promise<string[]> {
  const { sessions, clock } = makeWorld(script);
  const { agent } = await sessions.open('one');
  const lines: string[] = [];
  const told: Told = {
    text: (markdown) => lines.push(`text ${markdown}`),
    progress: (line) => lines.push(`progress ${line}`),
    waits: (summary) => lines.push(`waits ${summary}`),
    brokeOff: () => lines.push('broke off'),
    retry: (seconds) => lines.push(`retry ${seconds > 0 ? 'later' : 'now'}`),
    continued: () => lines.push('continued'),
  };
  const telling = tellTurn(agent, told);
  await agent.prompt('Go', {});
  for (let round = 0; round < rounds; round += 1) await clock.advance(20_000);
  await idle();
  telling.dispose();
  return lines;
}

const joined = (lines: string[]) =>
  lines
    .filter((line) => line.startsWith('text '))
    .map((line) => line.slice('text '.length))
    .join('');

describe('a turn told in a chat that can only be added to', () => {
  it('has each piece of text once, and its calls between', async () => {
    const lines = await tell([
      calls([{ name: 'read', input: { path: 'a.txt' } }], { text: 'I look.' }),
      text('It says old.'),
    ]);
    expect(joined(lines)).toBe('I look.\n\nIt says old.');
    expect(lines.findIndex((line) => line === 'progress read a.txt')).toBeGreaterThan(0);
    expect(lines.filter((line) => !line.startsWith('text '))).toEqual(['progress read a.txt']);
  });

  it('says what waits for the person', async () => {
    const lines = await tell([calls([{ name: 'write', input: { path: 'b.txt', content: 'b' } }])]);
    expect(lines).toEqual(['progress write b.txt', 'waits Create b.txt']);
  });

  it('names what hides in what waits', async () => {
    const command = 'rm -rf \u202e~ #\u200b';
    const lines = await tell([calls([{ name: 'run', input: { command } }])]);
    expect(lines.at(-1)).toMatch(/^waits .*rm -rf ⟨U\+202E⟩~ #⟨U\+200B⟩/);
    expect(lines.at(-1)).not.toMatch(/[\u202e\u200b]/);
  });

  it('says that what broke off does not count, and tells the new answer whole', async () => {
    const lines = await tell([begins('first try ', fails(dropped())), text('All of it.')], 3);
    expect(lines.filter((line) => line === 'broke off')).toHaveLength(1);
    expect(lines.indexOf('broke off')).toBeGreaterThan(lines.findIndex((line) => line === 'retry later'));
    expect(joined(lines)).toBe('first try All of it.');
  });

  it('says nothing of it when nothing had been said', async () => {
    const lines = await tell([[fails(dropped())], text('There.')], 3);
    expect(lines).toEqual(['retry later', 'text There.']);
  });
});

describe('the line of a call', () => {
  it.each([
    ['read', { path: 'a.txt' }, 'read a.txt'],
    ['run', { command: 'npm\n test' }, 'run npm test'],
    ['todo', { items: [] }, 'todo'],
    ['odd', null, 'odd'],
    ['run', { command: 'x'.repeat(200) }, `run ${'x'.repeat(79)}…`],
  ])('%s', (name, input, line) => {
    expect(lineOf(name, input)).toBe(line);
  });
});
