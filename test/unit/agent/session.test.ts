import { describe, expect, it } from 'vitest';
import { failureOf, later, openBench, type Bench } from './bench.js';
import { idle } from './fake-clock.js';
import { begins, calls, fails, hang, overloaded, rateLimit, text, type Reply } from './fake-model.js';
import { diskFull } from './test-log.js';

const kinds = (bench: Bench): string[] => bench.events.map(({ type }) => type);

describe('what a session tells', () => {
  it('shows what grows, and ends that just when the entry is there', async () => {
    const gate = later();
    const [first, second, ...rest] = text('hello you');
    const script: Reply[] = [
      [first, second, () => gate.opened, ...rest].filter((beat) => beat !== undefined),
    ];
    const bench = await openBench({ script });
    const seen: string[] = [];
    bench.session.on((event) => {
      if (event.type === 'growing_end') seen.push(`end, ${String(bench.entries('message').length)} on disk`);
    });
    bench.log.onAppend((placed) => {
      if (placed.some(({ entry }) => entry.type === 'message' && entry.role === 'assistant')) {
        seen.push(`appended, growing ${JSON.stringify(bench.session.growing())}`);
      }
    });
    await bench.send('hi');
    expect(bench.session.growing()).toMatchObject({ text: 'hello you', step: 1 });
    gate.open();
    await bench.session.settled();
    expect(seen).toEqual(['end, 1 on disk', 'appended, growing null']);
  });

  it('start parts, an empty delta and keepalives do not prevent a retry; content does', async () => {
    const quiet: Reply = [
      { type: 'response', status: 200 },
      { type: 'start', part: 'text' },
      { type: 'start', part: 'tool_call' },
      { type: 'text', delta: '' },
      ({ onBytes }) => onBytes(),
      fails(overloaded()),
    ];
    const loud: Reply[] = [
      [{ type: 'reasoning', delta: 'hm' }, fails(overloaded())],
      [{ type: 'tool_input', index: 0, name: 'run', delta: '{' }, fails(overloaded())],
    ];
    const bench = await openBench({ script: [quiet] });
    await bench.send('hi');
    expect(bench.story().at(-1)).toMatch(/^retry_start/);
    for (const reply of loud) {
      const other = await openBench({ script: [reply] });
      await other.send('hi');
      expect(other.story().at(-1)).toMatch(/^resume_start/);
    }
  });

  it('counts the characters of calls that still come', async () => {
    const script: Reply[] = [
      [
        { type: 'tool_input', index: 0, name: 'write', delta: '{"pa' },
        { type: 'tool_input', index: 0, name: 'write', delta: 'th"' },
        { type: 'tool_input', index: 1, name: 'run', delta: '{' },
        hang(),
      ],
    ];
    const bench = await openBench({ script });
    await bench.send('hi');
    expect(bench.session.growing()?.calls).toEqual([
      { name: 'write', chars: 7 },
      { name: 'run', chars: 1 },
    ]);
  });

  it('shows the output of a running tool, and nothing of it afterwards', async () => {
    const bench = await openBench({
      allows: () => true,
      script: [calls([{ name: 'run', input: { command: 'hang' } }])],
    });
    await bench.send('go');
    expect(bench.session.progress()).toMatchObject([{ tail: 'hang\n', started_at: bench.clock.now() }]);
    await bench.do({ type: 'stop' });
    expect(bench.session.progress()).toEqual([]);
  });

  it('tells a wait before it begins, and the turn_end with its failure', async () => {
    const bench = await openBench({
      retry: { maxResumes: -1, maxAttempts: 2 },
      script: [[fails(overloaded())], [fails(overloaded())]],
    });
    await bench.send('hi');
    expect(kinds(bench)).toContain('retry');
    expect(bench.model.asked).toHaveLength(1);
    await bench.clock.advance(1_000);
    expect(bench.events.at(-1)).toMatchObject({ type: 'turn_end', failure: overloaded() });
  });

  it('goes on when a listener throws', async () => {
    const bench = await openBench({ script: [text('ok')] });
    bench.session.on(() => {
      throw new Error('the view is gone');
    });
    await bench.send('hi');
    expect(bench.story().at(-1)).toContain('turn_end completed');
    expect(bench.told.some((line) => line.includes('the view is gone'))).toBe(true);
  });
});

describe('models', () => {
  it('keeps the model its first request went to, whatever the setting says later', async () => {
    const bench = await openBench({ settings: { model: 'auto' }, script: [text('a'), text('b')] });
    expect(bench.session.model()).toBe('auto');
    await bench.send('hi');
    bench.settings.model = 'other/model';
    await bench.send('again');
    expect(bench.model.wanted).toEqual(['auto', 'fake/one']);
    expect(bench.session.model()).toBe('fake/one');
  });

  it('a choice is durable, and an answer is signed by the model that gave it', async () => {
    const gate = later();
    const bench = await openBench({ script: [[() => gate.opened, ...text('a')]] });
    await bench.send('hi');
    await bench.session.selectModel('other', 'two');
    gate.open();
    await bench.session.settled();
    const [, answer] = bench.entries('message');
    expect(answer).toMatchObject({ provider: 'fake', model: 'one' });
    const next = await bench.crash();
    await next.session.recover();
    expect(next.session.model()).toBe('other/two');
  });

  it('settings apply to the next request', async () => {
    const bench = await openBench({ script: [begins('a b', hang()), text('ok')] });
    await bench.send('hi');
    await bench.do({ type: 'stop' });
    bench.settings.retry = { ...bench.settings.retry, maxAttempts: 1, maxResumes: -1 };
    bench.model.clear();
    bench.model.play([fails(overloaded())]);
    await bench.send('again');
    expect(bench.story().at(-1)).toContain('turn_end failed');
  });

  it('E9: a conversation that cannot fit is not sent, with the choices there are', async () => {
    const bench = await openBench({ script: [text('never')] });
    bench.model.info = { ...bench.model.info, contextWindow: 10 };
    await bench.send('hi');
    expect(bench.model.asked).toEqual([]);
    expect(bench.session.failure()).toMatchObject({ kind: 'overflow', action: 'select-model' });
  });
});

describe('sizes', () => {
  it('never cuts a prompt or an input, however long: it is told and run whole', async () => {
    const long = 'x'.repeat(1_200_000);
    const bench = await openBench({
      allows: () => true,
      script: [calls([{ name: 'write', input: { path: 'big.txt', content: long } }]), text('ok')],
    });
    await bench.send(long);
    expect(bench.workspace.text('big.txt')).toBe(long);
    expect(JSON.stringify(bench.model.asked[0]?.request)).toContain(long);
    expect(bench.story().at(-1)).toContain('turn_end completed');
    const lines = (await bench.disk.bytes()).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1024 * 1024);
  });

  it('keeps a long partial text whole', async () => {
    const long = 'words '.repeat(200_000);
    const bench = await openBench({ script: [[{ type: 'text', delta: long }, hang()]] });
    await bench.send('hi');
    await bench.do({ type: 'stop' });
    const [partial] = bench.entries('incomplete_output');
    const blob = partial?.type === 'incomplete_output' ? (partial.blob ?? '') : '';
    expect(new TextDecoder().decode(await bench.log.blobs.get(blob))).toBe(long);
  });
});

describe('prompts', () => {
  it('tells the model what the person named, behind their text', async () => {
    const bench = await openBench({ script: [text('ok')] });
    await bench.send('see', {
      mentions: [
        { kind: 'file', label: 'a.ts', path: 'src/a.ts', text: 'const a = 1;' },
        { kind: 'folder', label: 'src' },
      ],
    });
    const [message] = bench.model.asked[0]?.request.messages ?? [];
    expect(message?.parts).toEqual([
      {
        type: 'text',
        text: 'see\n\n[The person named this file: a.ts (src/a.ts)]\nconst a = 1;\n\n[The person named this folder: src]',
      },
    ]);
  });

  it('refuses an empty one', async () => {
    const bench = await openBench({});
    expect(failureOf(await bench.send('  \n')).code).toBe('EmptyPrompt');
    expect(bench.disk.batches).toEqual([]);
  });

  it('refuses every intent of a log that cannot be written, and says why', async () => {
    const bench = await openBench({ script: [text('ok')] });
    await bench.send('hi');
    await bench.log.close();
    expect(failureOf(await bench.send('more'))).toMatchObject({ code: 'SessionStale', action: 'reopen' });
    expect(failureOf(await bench.session.selectModel('a', 'b'))).toMatchObject({ code: 'SessionStale' });
  });
});

describe('odd moments', () => {
  it('a stop between prompt and request is heeded', async () => {
    const gate = later();
    const bench = await openBench({ script: [text('never')] });
    const resolve = bench.model.resolve.bind(bench.model);
    bench.model.resolve = async (wanted) => {
      await gate.opened;
      return resolve(wanted);
    };
    await bench.send('hi');
    await bench.do({ type: 'stop' });
    gate.open();
    await idle();
    expect(bench.model.asked).toEqual([]);
    expect(bench.story()).toEqual(['user "hi" + turn_start', 'turn_end stopped']);
  });

  it('a stop that comes while the prompt is being written stops what it begins', async () => {
    const gate = later();
    const bench = await openBench({ script: [[hang()]] });
    bench.process.slow = () => gate.opened;
    const sent = bench.send('hi');
    const stopped = bench.do({ type: 'stop' });
    bench.process.slow = () => Promise.resolve();
    gate.open();
    await Promise.all([sent, stopped]);
    expect(bench.story().at(-1)).toContain('turn_end stopped');
    expect(bench.session.run()).toBe('idle');
  });

  it('a parked turn whose retry cannot be written can be closed', async () => {
    const bench = await openBench({ script: [[fails(rateLimit(3_600_000))], text('ok')] });
    await bench.send('hi');
    await bench.clock.advance(3_600_000);
    bench.process.refuse = diskFull;
    await bench.do({ type: 'retry_now' });
    expect(bench.session.failure()?.kind).toBe('storage');
    expect(bench.session.interrupted()).not.toBeNull();
    bench.process.refuse = () => null;
    await bench.do({ type: 'continue' });
    expect(bench.story().at(-1)).toContain('turn_end completed');
  });

  it('retry_cancel leaves approvals alone', async () => {
    const bench = await openBench({ script: [calls([{ name: 'run', input: { command: 'one' } }])] });
    await bench.send('go');
    expect(failureOf(await bench.do({ type: 'retry_cancel' })).code).toBe('NothingToRetry');
    expect(failureOf(await bench.do({ type: 'retry_now' })).code).toBe('NothingToRetry');
    expect(bench.session.run()).toBe('waiting');
  });

  it('never throws away two runs at once: sends that race become one turn and one queued prompt', async () => {
    const bench = await openBench({ script: [text('a'), text('b')] });
    await Promise.all([bench.send('one'), bench.send('two')]);
    await bench.session.settled();
    expect(bench.entries('turn_end')).toHaveLength(2);
    expect(bench.log.outline.map((node) => node[4])).toEqual(['one', 'a', 'two', 'b']);
  });
});
