/** Skills: named by the person or loaded by the model, they stand on the line from then on. */
import { describe, expect, it } from 'vitest';
import type { LoadedSkill, ModelMessage, Skills } from '../../../src/ports.js';
import { toolFailure } from '../../../src/shared/failure.js';
import type { Mention } from '../../../src/shared/protocol.js';
import { createSkillTool } from '../../../src/tools/skill.js';
import { failureOf, later, openBench, type Bench, type BenchOptions } from './bench.js';
import { calls, text } from './fake-model.js';

const skill = (name: string, body = `How to ${name}.`): LoadedSkill => ({
  name,
  description: `About ${name}`,
  body,
  resource_base: `.agents/skills/${name}`,
});

function shelf(): { skills: Skills; books: Map<string, LoadedSkill> } {
  const books = new Map([
    ['pdf', skill('pdf')],
    ['css', skill('css')],
  ]);
  const missing = (name: string) => toolFailure('no-skill', `There is no skill "${name}" here.`);
  return {
    books,
    skills: {
      list: () =>
        Promise.resolve(
          [...books.values()].map(({ name, description }) => ({
            ...{ name, description },
            isForModel: true,
            isForPerson: true,
          })),
        ),
      load: (name) => Promise.resolve(books.get(name) ?? missing(name)),
      file: (name, path) => Promise.resolve(books.has(name) ? `text of ${path}` : missing(name)),
    },
  };
}

const named = (label: string): { mentions: Mention[] } => ({ mentions: [{ kind: 'skill', label }] });

const benchWith = (skills: Skills, more: BenchOptions = {}): Promise<Bench> =>
  openBench({ skills, tools: [createSkillTool(skills)], ...more });

const loads = (bench: Bench) => bench.entries('skill_load').map(({ name, body }) => `${name}: ${body}`);

const plain = (message: ModelMessage): string =>
  message.role === 'tool'
    ? message.parts.map((part) => part.content).join('\n')
    : message.parts.map((part) => ('text' in part ? part.text : part.type)).join('\n');

const toldTo = (bench: Bench, request: number): string =>
  (bench.model.asked[request]?.request.messages ?? []).map(plain).join('\n');

const load = (name: string) => calls([{ name: 'skill', input: { name } }]);

describe('a skill that the person names', () => {
  it('stands before the message in one batch with it, and is told', async () => {
    const bench = await benchWith(shelf().skills, { script: [text('Done.'), text('Again.')] });
    await bench.send('make one', named('pdf'));
    expect(bench.story()[0]).toBe(
      'skill_load + user "make one" "[The person named this skill: pdf]" + turn_start',
    );
    expect(toldTo(bench, 0)).toContain('[Skill "pdf": About pdf]\n\nHow to pdf.');
    expect(toldTo(bench, 0)).toContain('Its files lie in .agents/skills/pdf.');
    await bench.send('and another', named('pdf'));
    expect(loads(bench)).toEqual(['pdf: How to pdf.']);
    expect(toldTo(bench, 1)).toContain('How to pdf.');
  });

  it('goes with the turn that is undone', async () => {
    const bench = await benchWith(shelf().skills, { script: [text('Done.'), text('Made.')] });
    await bench.send('hello');
    const end = bench.log.head;
    await bench.send('make one', named('pdf'));
    await bench.do({ type: 'undo' });
    expect(bench.log.head).toBe(end);
  });

  it('is loaded again when it says something else by now', async () => {
    const { skills, books } = shelf();
    const bench = await benchWith(skills, { script: [text('Done.'), text('Again.')] });
    await bench.send('make one', named('pdf'));
    books.set('pdf', skill('pdf', 'Do it otherwise.'));
    await bench.send('make one', named('pdf'));
    expect(loads(bench)).toEqual(['pdf: How to pdf.', 'pdf: Do it otherwise.']);
  });

  it('that is not there keeps the message from being sent, and says so', async () => {
    const bench = await benchWith(shelf().skills);
    expect(failureOf(await bench.send('make one', named('gone'))).message).toContain('no skill "gone"');
    expect(bench.story()).toEqual([]);
  });

  it('goes with the message when that is edited, and stays when it is answered anew', async () => {
    const bench = await benchWith(shelf().skills, { script: [text('1'), text('2'), text('3')] });
    const sent = await bench.send('make one', named('pdf'));
    const editing = 'entry_id' in sent ? sent.entry_id : undefined;
    await bench.do({ type: 'try_again' });
    expect(toldTo(bench, 1)).toContain('How to pdf.');
    await bench.send('no, a page', { ...named('css'), ...(editing === undefined ? {} : { editing }) });
    expect(toldTo(bench, 2)).not.toContain('How to pdf.');
    expect(toldTo(bench, 2)).toContain('How to css.');
  });

  it('comes with a message that waited in the queue or was sent into the turn', async () => {
    const gate = later();
    const { skills, books } = shelf();
    const script = [[() => gate.opened, ...load('css')], text('one'), text('two'), text('three')];
    const bench = await benchWith(skills, { script });
    await bench.send('first');
    await bench.send('steered', { mode: 'steer', ...named('pdf') });
    await bench.send('queued', { mode: 'queue', ...named('pdf') });
    await bench.send('lost', { mode: 'queue', ...named('gone') });
    books.set('pdf', skill('pdf', 'Newer.'));
    gate.open();
    await bench.session.settled();
    expect(loads(bench)).toEqual(['css: How to css.', 'pdf: Newer.']);
    expect(toldTo(bench, 1)).toContain('Newer.');
    expect(toldTo(bench, 3)).toContain('[A skill could not be loaded: There is no skill "gone" here.]');
  });
});

describe('a skill that the model loads', () => {
  it('is listed with what it is for, and stands behind the result of the call', async () => {
    const bench = await benchWith(shelf().skills, { script: [load('pdf'), load('pdf'), text('Done.')] });
    await bench.send('make one');
    expect(bench.model.asked[0]?.request.system).toContain('- `pdf`: About pdf');
    expect(bench.story().filter((batch) => /^tool .* \+ skill_load$/.test(batch))).toHaveLength(1);
    expect(loads(bench)).toEqual(['pdf: How to pdf.']);
    expect(bench.model.asked[1]?.request.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  it('is not offered where there is none', async () => {
    const { skills, books } = shelf();
    books.clear();
    const bench = await benchWith(skills, { script: [text('Hello.')] });
    await bench.send('hello');
    expect(bench.model.asked[0]?.request.tools).toEqual([]);
    expect(bench.model.asked[0]?.request.system).not.toContain('# Skills');
  });

  it('shows its files, and says when there is no such skill', async () => {
    const file = calls([
      { id: 'a', name: 'skill', input: { name: 'pdf', file: 'forms.md' } },
      { id: 'b', name: 'skill', input: { name: 'nothing' } },
    ]);
    const bench = await benchWith(shelf().skills, { script: [file, text('Done.')] });
    await bench.send('make one');
    expect(toldTo(bench, 1)).toContain('text of forms.md');
    expect(toldTo(bench, 1)).toContain('There is no skill "nothing" here.');
    expect(loads(bench)).toEqual([]);
  });

  it('outlives a compaction and follows its own branch only', async () => {
    const long = Array.from({ length: 300 }, (_, index) => `apple number ${index}`).join('\n');
    const script = [
      load('pdf'),
      text(long),
      text('More.'),
      text('A summary.'),
      text('After.'),
      text('Beside.'),
    ];
    const bench = await benchWith(shelf().skills, { script, settings: { keepRecentTokens: 20 } });
    const first = await bench.send('make one');
    await bench.send('go on');
    await bench.do({ type: 'compact' });
    await bench.send('still there?');
    expect(toldTo(bench, 4)).toContain('A summary.');
    expect(toldTo(bench, 4)).not.toContain('apple number');
    expect(toldTo(bench, 4)).toContain('How to pdf.');
    const editing = 'entry_id' in first ? first.entry_id : undefined;
    await bench.send('something else', editing === undefined ? {} : { editing });
    expect(toldTo(bench, 5)).not.toContain('How to pdf.');
  });
});
