import { describe, expect, it } from 'vitest';
import { begunWord, redact, withoutTokens, withoutWords } from '../../../src/models/redact.js';
import type { Tool } from '../../../src/ports.js';
import { openBench, type Bench } from './bench.js';
import { calls, hang, text } from './fake-model.js';

const KEY = 'planted-0123456789';

/** Everything on the disk: log, stream journal, blobs. */
async function kept(bench: Bench, folder = '/memory'): Promise<string> {
  const { files } = bench.disk;
  const texts: string[] = [];
  for (const name of await files.list(folder)) {
    const path = `${folder}/${name}`;
    const { isFolder } = await files.stat(path);
    texts.push(isFolder ? await kept(bench, path) : new TextDecoder().decode(await files.read(path)));
  }
  return texts.join('\n');
}

const allow = (bench: Bench) =>
  bench.do({
    type: 'decide',
    call_id: bench.session.log.state().approvals[0]?.call_id ?? '',
    decision: 'allow',
    scope: 'once',
  });

describe('H11: the keys of providers', () => {
  it('are in nothing that is kept: prompt, answer, input, result, long result, queue, journal', async () => {
    const bench = await openBench({
      key: KEY,
      allows: () => true,
      script: [
        calls([{ name: 'run', input: { command: `echo ${KEY} token-9` } }], {
          text: `It is ${KEY}.`,
        }),
        [{ type: 'text', delta: `Again ${KEY}.` }, hang()],
      ],
    });
    await bench.send(`My key is ${KEY}`);
    await bench.send(`And queued: ${KEY} ${'x'.repeat(40_000)}`, { mode: 'queue' });
    await bench.log.journal.flush();
    expect(await kept(bench)).not.toContain(KEY);
    // What a command printed is looked through for keys of any kind.
    expect(await kept(bench)).toContain('ran echo [redacted] [redacted]');
    expect(await kept(bench)).toContain('Again [redacted].');
    await bench.do({ type: 'stop' });
    expect(await kept(bench)).not.toContain(KEY);
    expect(JSON.stringify(bench.model.asked[1]?.request.messages)).not.toContain(KEY);
    expect(bench.ran).toEqual([expect.stringContaining('echo [redacted]')]);
  });

  it.each([1, 3, 7, 40])(
    'are not in the journal when a stream parts them, %i characters at a time',
    async (size) => {
      const said = `planted? It is ${KEY}, yes: ${KEY}${KEY}. The end of plant`;
      const deltas = said.match(new RegExp(`.{1,${String(size)}}`, 'g')) ?? [];
      for (const type of ['text', 'reasoning'] as const) {
        const bench = await openBench({
          key: KEY,
          script: [[...deltas.map((delta) => ({ type, delta })), hang()]],
        });
        await bench.send('go');
        await bench.log.journal.flush();
        const left = await bench.log.journal.read();
        expect(left?.[type]).not.toContain(KEY);
        expect(await kept(bench)).not.toContain(KEY);
        expect(left?.[type]).toMatch(
          /^planted\? It is \w{0,3}\[redacted\], yes: \w{0,3}\[redacted\]\w{0,3}\[redacted\]\. The end of /,
        );
        await bench.do({ type: 'stop' });
        expect(await kept(bench)).not.toContain(KEY);
      }
    },
  );

  it.each([1, 3, 7, 40])(
    'are not in what is shown while it streams, nor in the output of a command, %i characters at a time',
    async (size) => {
      const said = `planted? It is ${KEY}, yes: ${KEY}. token-9 and so on`;
      const pieces = said.match(new RegExp(`.{1,${String(size)}}`, 'g')) ?? [];
      const shown: string[] = [];
      const printing: Tool = {
        spec: { name: 'print', description: 'print', input_schema: { type: 'object' } },
        risk: 'read',
        prepare: (input) =>
          Promise.resolve({
            tool: 'print',
            input,
            sentence: 'Print',
            risk: 'read',
            targets: [],
            subject: '',
          }),
        run: (_, { report }) => {
          for (const piece of pieces) report(piece);
          return Promise.resolve({ content: 'ok', is_error: false });
        },
      };
      const bench = await openBench({
        key: KEY,
        tools: [printing],
        script: [
          [
            ...pieces.map((delta) => ({ type: 'text' as const, delta })),
            ...pieces.map((delta) => ({ type: 'reasoning' as const, delta })),
            ...calls([{ name: 'print', input: {} }]),
          ],
          text('done'),
        ],
      });
      bench.session.on(({ type }) => {
        if (type === 'growing') {
          const { text: grown = '', reasoning = '' } = bench.session.growing() ?? {};
          shown.push(grown, reasoning);
        }
        if (type === 'progress') shown.push(...bench.session.progress().map(({ tail }) => tail));
      });
      await bench.send('go');
      expect(bench.session.run()).toBe('idle');
      expect(shown.filter((one) => one.includes(KEY))).toEqual([]);
      // Neither is its greater part, however it was parted.
      expect(shown.filter((one) => one.includes(KEY.slice(4)))).toEqual([]);
      expect(shown.filter((one) => one.includes('[redacted] and so on'))).not.toEqual([]);
      expect(shown.filter((one) => one.includes('yes: '))).not.toEqual([]);
    },
  );

  it('what a server of others prints is looked through like a command; its pictures are blobs that the model is sent', async () => {
    const tool: Tool = {
      spec: { name: 'mcp_x_env', description: 'env', input_schema: { type: 'object' } },
      risk: 'run',
      prepare: (input) =>
        Promise.resolve({
          tool: 'mcp_x_env',
          input,
          sentence: 'Call env',
          risk: 'run',
          targets: [],
          subject: 'x',
        }),
      run: () =>
        Promise.resolve({
          content: `KEY=${KEY} OTHER=token-9`,
          is_error: false,
          pictures: [{ mime: 'image/png', name: 'picture 1', bytes: new TextEncoder().encode('pixels') }],
        }),
    };
    const bench = await openBench({
      ...{ key: KEY, tools: [tool], allows: () => true },
      script: [calls([{ name: 'mcp_x_env', input: {} }]), text('done')],
    });
    await bench.send('go');
    expect(await kept(bench)).not.toContain(KEY);
    expect(await kept(bench)).toContain('KEY=[redacted] OTHER=[redacted]');
    expect(await kept(bench)).toContain('pixels');
    const sent = bench.model.asked[1]?.request.messages.flatMap(({ parts }) => parts as { type?: string }[]);
    expect(sent).toContainEqual(
      expect.objectContaining({
        type: 'image',
        mime: 'image/png',
        bytes: new TextEncoder().encode('pixels'),
      }),
    );
  });

  it('are not in the names of an input either', async () => {
    const bench = await openBench({
      key: KEY,
      allows: () => true,
      script: [calls([{ name: 'run', input: { command: 'ls', env: { [KEY]: '1' } } }]), text('done')],
    });
    await bench.send('go');
    expect(await kept(bench)).not.toContain(KEY);
  });

  it('in a file that is changed: the bytes are not kept, the change is made and known by its hash', async () => {
    const bench = await openBench({
      key: KEY,
      files: { 'a.env': `KEY=${KEY}\n` },
      script: [calls([{ name: 'write', input: { path: 'a.env', content: 'KEY=\n' } }]), text('done')],
    });
    await bench.send('take it out');
    expect(await kept(bench)).not.toContain(KEY);
    await allow(bench);
    expect(bench.workspace.text('a.env')).toBe('KEY=\n');
    expect(await kept(bench)).not.toContain(KEY);
    expect(bench.entries('files_changed')).toEqual([
      expect.objectContaining({
        changes: [expect.objectContaining({ before: expect.stringMatching(/^[0-9a-f]{64}$/) as string })],
      }),
    ]);
  });
});

describe('taking keys out', () => {
  it('leaves what only looks a little like one in what is worked with', () => {
    const code = 'const password: string = read(); // sk-learn, pk-1';
    expect(withoutTokens(code, [])).toBe(code);
    expect(withoutTokens('OPENAI_API_KEY=sk-test-1234567890abcdef', [])).toBe('OPENAI_API_KEY=[redacted]');
    expect(withoutWords('a short key: abc', ['abc'])).toBe('a short key: abc');
    expect(withoutWords('x my-key-1 y my-key-1', ['my-key-1'])).toBe('x [redacted] y [redacted]');
    expect(redact('password: hunter2', [])).toBe('password: [redacted]');
  });

  it.each(['ollama', 'test', 'none', 'EMPTY', 'user', 'text', '12345', 'lm-studio', 'not-needed'])(
    'a stand-in for a key (%s) is a word like any other in what is worked with, and no part of an error',
    (word) => {
      const text = `describe('${word}', () => ${word});`;
      expect(withoutWords(text, [word])).toBe(text);
      expect(begunWord(text.slice(0, -3), [word])).toBe(0);
      expect(redact(`refused: ${word}`, [word])).toBe('refused: [redacted]');
    },
  );

  it('the longer of two keys is taken out whole', () => {
    const keys = ['sk-abcdef1234', 'sk-abcdef1234-more'];
    expect(withoutWords('a sk-abcdef1234-more b', keys)).toBe('a [redacted] b');
    expect(begunWord('a sk-abcdef1234', keys)).toBe('sk-abcdef1234'.length);
  });
});
