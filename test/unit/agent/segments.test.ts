/** A turn that goes on by itself while the to-do list it made is not done, and the call that ends one. */
import { describe, expect, it } from 'vitest';
import { finishTool } from '../../../src/tools/finish.js';
import { todoTool } from '../../../src/tools/todo.js';
import { later, openBench, type Bench, type BenchOptions } from './bench.js';
import { idle } from './fake-clock.js';
import { badKey, calls, fails, hang, text, type Reply } from './fake-model.js';
import { fakeTools } from './fake-tools.js';

const plan = (...items: [title: string, status: string][]): Reply =>
  calls([{ name: 'todo', input: { items: items.map(([title, status]) => ({ title, status })) } }]);
const read = (path: string): Reply => calls([{ name: 'read', input: { path } }]);
const finish = (status: string, summary = 'All there.'): Reply =>
  calls([{ name: 'finish', input: { status, summary } }]);

const open = (options: BenchOptions = {}): Promise<Bench> => {
  const ran: string[] = [];
  return openBench({
    files: { 'a.txt': 'a', 'b.txt': 'b' },
    tools: [...fakeTools(ran), todoTool, finishTool],
    ...options,
  });
};

const statuses = (bench: Bench): string[] => bench.entries('turn_end').map(({ status }) => status);
const continuations = (bench: Bench): string[] =>
  bench
    .entries('message')
    .filter(({ origin }) => origin === 'continuation')
    .map(({ parts }) => (parts[0]?.type === 'text' ? parts[0].text : ''));

describe('a turn with a to-do list', () => {
  it('goes on until the list is done, and each continuation is in the log before it is sent', async () => {
    const bench = await open({
      script: [
        plan(['Look', 'done'], ['Write.', 'pending']),
        text('Half done.'),
        plan(['Look', 'done'], ['Write.', 'done']),
        text('All done.'),
      ],
    });
    await bench.send('go');
    expect(statuses(bench)).toEqual(['completed']);
    expect(continuations(bench)).toHaveLength(1);
    expect(continuations(bench)[0]).toMatch(/^Not done yet: Write\. Go on/);
    expect(bench.entries('turn_continue')).toMatchObject([{ segment: 1, steps: 2 }]);
    expect(bench.story()).toContainEqual(
      expect.stringMatching(/^assistant .*Half done.* \+ .*step_end 2 \+ user .* \+ turn_continue$/),
    );
    expect(bench.model.asked).toHaveLength(4);
    expect(bench.model.asked[2]?.request.messages.at(-1)).toMatchObject({ role: 'user' });
  });

  it('goes on with a model that only talks, up to the limit, and tells it the ways out', async () => {
    let asked = 0;
    const bench = await open({
      endless: () => {
        asked += 1;
        return asked === 1 ? plan(['Ask', 'pending']) : text(`Talk ${String(asked)}.`);
      },
    });
    await bench.send('go');
    expect(continuations(bench)).toHaveLength(30);
    expect(continuations(bench)[0]).toMatch(/ask with ask.*call finish with the status blocked/);
    expect(bench.entries('turn_continue').map(({ segment }) => segment)).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 1),
    );
    expect(bench.model.asked).toHaveLength(32);
    expect(bench.session.failure()).toMatchObject({ code: 'MaxContinuations' });
  });

  it('can be stopped while it goes on by itself', async () => {
    const bench = await open({
      script: [plan(['Write', 'pending']), text('Half.'), text('Still half.'), [hang()]],
    });
    await bench.send('go');
    await bench.do({ type: 'stop' });
    expect(continuations(bench)).toHaveLength(2);
    expect(statuses(bench)).toEqual(['stopped']);
  });

  it('does not go on for a list of an earlier turn, nor when it is turned off', async () => {
    const bench = await open({
      settings: { maxContinuations: 0 },
      script: [plan(['Later', 'pending']), text('Planned.')],
    });
    await bench.send('plan');
    bench.settings.maxContinuations = 30;
    bench.model.play(text('Hello.'));
    await bench.send('hello');
    expect(statuses(bench)).toEqual(['completed', 'completed']);
    expect(continuations(bench)).toEqual([]);
  });

  it('stops at the limit, says what is left, and holds the queue', async () => {
    let n = 0;
    const bench = await open({
      settings: { maxContinuations: 2 },
      endless: () => {
        n += 1;
        if (n === 1) return plan(['Never', 'in_progress']);
        return n % 2 === 0 ? text('So far.') : read(`${String(n)}.txt`);
      },
    });
    await bench.send('go');
    expect(continuations(bench)).toHaveLength(2);
    expect(statuses(bench)).toEqual(['failed']);
    expect(bench.session.failure()).toMatchObject({ code: 'MaxContinuations' });
    expect(bench.session.failure()?.message).toMatch(/continued 2 times .*Not done yet: Never\./);
  });

  it('stops and asks when the same call was made three times and nothing changed', async () => {
    const bench = await open({
      script: [plan(['Poll', 'pending']), ...[1, 2, 3].map(() => read('a.txt')), text('Still the same.')],
    });
    await bench.send('go');
    expect(bench.session.failure()).toMatchObject({ code: 'RepeatedCall' });
    expect(bench.session.failure()?.message).toMatch(/read was called three times/);
    expect(continuations(bench)).toEqual([]);
  });

  it('counts calls anew once a file was changed', async () => {
    const bench = await open({
      allows: () => true,
      script: [
        plan(['Fix', 'pending']),
        read('a.txt'),
        read('a.txt'),
        calls([{ name: 'write', input: { path: 'a.txt', content: 'new' } }]),
        read('a.txt'),
        text('Fixed.'),
        plan(['Fix', 'done']),
        text('Done.'),
      ],
    });
    await bench.send('go');
    expect(statuses(bench)).toEqual(['completed']);
  });

  it('lets the person speak first, and goes on by itself only after that', async () => {
    const answering = later();
    const bench = await open({
      script: [
        plan(['Write', 'pending']),
        [() => answering.opened, ...text('Half.')],
        read('a.txt'),
        text('Quarter.'),
        plan(['Write', 'done']),
        text('Done.'),
      ],
    });
    await bench.send('go');
    await bench.send('shorter', { mode: 'steer' });
    answering.open();
    await idle();
    const users = bench.entries('message').filter(({ role }) => role === 'user');
    expect(users.map(({ origin }) => origin)).toEqual(['person', 'steer', 'continuation']);
    expect(statuses(bench)).toEqual(['completed']);
  });

  it('is taken up from the log after a crash before the continuation was answered', async () => {
    const bench = await open({ script: [plan(['Write', 'pending']), text('Half.'), [hang()]] });
    await bench.send('go');
    expect(continuations(bench)).toHaveLength(1);
    const after = await bench.crash();
    await after.session.recover();
    expect(after.session.interrupted()).not.toBeNull();
    after.model.play(plan(['Write', 'done']), text('Done.'));
    await after.do({ type: 'continue' });
    expect(continuations(after)).toHaveLength(1);
    expect(statuses(after).at(-1)).toBe('completed');
  });

  it('keeps a turn going that the person continued: the list was written for the same prompt', async () => {
    const bench = await open({
      settings: { maxContinuations: 1 },
      script: [plan(['Write', 'pending']), text('Half.'), text('Still half.')],
    });
    await bench.send('go');
    expect(bench.session.failure()).toMatchObject({ code: 'MaxContinuations' });
    bench.model.play(text('On it.'), plan(['Write', 'done']), text('Done.'));
    await bench.do({ type: 'continue' });
    expect(continuations(bench)).toHaveLength(2);
    expect(statuses(bench)).toEqual(['failed', 'completed']);
    bench.model.play(plan(['Later', 'pending']), [fails(badKey())]);
    await bench.send('plan');
    bench.model.play([fails(badKey())]);
    await bench.send('hello');
    bench.model.play(text('Hello.'));
    await bench.do({ type: 'continue' });
    expect(continuations(bench)).toHaveLength(2);
    expect(statuses(bench).at(-1)).toBe('completed');
  });
});

describe('a turn that has to declare its outcome', () => {
  const ask = async (bench: Bench, prompt = 'go'): Promise<void> => {
    await bench.session.prompt(prompt, { requires_finish: true });
    await idle();
  };

  it('goes on until finish is called', async () => {
    const bench = await open({ script: [text('I think it is done.'), finish('completed')] });
    await ask(bench);
    expect(continuations(bench)).toEqual([expect.stringMatching(/^The outcome was not declared/)]);
    expect(bench.entries('turn_continue')).toMatchObject([{ segment: 1, steps: 1 }]);
    expect(bench.entries('run_finish')).toMatchObject([{ status: 'completed' }]);
    expect(statuses(bench)).toEqual(['completed']);
  });

  it('is told of its list first, and of the outcome when that is done', async () => {
    const bench = await open({
      script: [
        plan(['A', 'pending']),
        text('Half.'),
        plan(['A', 'done']),
        text('Done.'),
        finish('completed'),
      ],
    });
    await ask(bench);
    expect(continuations(bench).map((told) => told.split(' ')[0])).toEqual(['Not', 'The']);
  });

  it('is refused to a model that calls no tools, and not continued by one', async () => {
    const bench = await open({ script: [[fails(badKey())], text('Done.')] });
    await ask(bench);
    bench.model.info = { ...bench.model.info, tools: false };
    await bench.do({ type: 'continue' });
    expect(continuations(bench)).toEqual([]);
    expect(bench.session.failure()).toMatchObject({ code: 'ModelWithoutTools' });
    const before = bench.disk.batches.length;
    const again = await bench.session.prompt('again', { requires_finish: true });
    expect(again).toMatchObject({ code: 'InvalidArgument' });
    expect(bench.disk.batches.length).toBe(before);
    expect(bench.model.asked).toHaveLength(2);
  });

  it('ends at the limit with the reason, and the next prompt is free of it', async () => {
    const bench = await open({ settings: { maxContinuations: 2 }, endless: () => text('Hm.') });
    await ask(bench);
    expect(continuations(bench)).toHaveLength(2);
    expect(bench.session.failure()).toMatchObject({
      code: 'MaxContinuations',
      message: expect.stringMatching(/continued 2 times .*not declared with finish yet\./) as unknown,
    });
    await bench.send('hello');
    expect(continuations(bench)).toHaveLength(2);
    expect(statuses(bench)).toEqual(['failed', 'completed']);
  });

  it('has to when it is continued or answered again after a failure', async () => {
    const bench = await open({ script: [[fails(badKey())]] });
    await ask(bench);
    bench.model.play(text('Done.'), finish('completed'));
    await bench.do({ type: 'continue' });
    expect(continuations(bench)).toHaveLength(1);
    bench.model.play(text('Done again.'), finish('blocked'));
    await bench.do({ type: 'try_again' });
    expect(continuations(bench)).toHaveLength(2);
    expect(bench.entries('turn_start').map(({ requires_finish }) => requires_finish)).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('finish', () => {
  it('ends the turn after its batch: with what is open on the list, and without another request', async () => {
    const bench = await open({
      script: [
        plan(['Rest', 'pending']),
        calls([
          { name: 'read', input: { path: 'a.txt' }, id: '1' },
          { name: 'finish', input: { status: 'blocked', summary: 'No access.' }, id: '2' },
        ]),
      ],
    });
    await bench.send('go');
    expect(bench.model.asked).toHaveLength(2);
    expect(bench.entries('run_finish')).toMatchObject([{ status: 'blocked', summary: 'No access.' }]);
    expect(bench.story().at(-1)).toBe('step_end 2 + turn_end completed');
    expect(bench.entries('message').at(-1)?.parts[0]).toMatchObject({
      content: 'No access.',
      is_error: false,
    });
  });

  it('lets the next queued prompt follow', async () => {
    const asking = later();
    const bench = await open({ script: [[() => asking.opened, ...finish('completed')], text('Next.')] });
    await bench.send('first');
    await bench.send('second', { mode: 'queue' });
    asking.open();
    await idle();
    expect(statuses(bench)).toEqual(['completed', 'completed']);
  });

  it('does not end a turn that the person has spoken into since', async () => {
    const answering = later();
    const bench = await open({
      script: [[() => answering.opened, ...finish('completed')], text('That too.')],
    });
    await bench.send('go');
    await bench.send('and that', { mode: 'steer' });
    answering.open();
    await idle();
    expect(bench.model.asked).toHaveLength(2);
    expect(statuses(bench)).toEqual(['completed']);
  });

  it('is refused when it says nothing, and the turn goes on', async () => {
    const bench = await open({ script: [finish('completed', ' '), text('Sorry.')] });
    await bench.send('go');
    expect(bench.entries('run_finish')).toEqual([]);
    expect(bench.model.asked).toHaveLength(2);
  });
});
