import { describe, expect, it } from 'vitest';
import { redact, withoutTokens, withoutWords } from '../../../src/models/redact.js';
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
    expect(withoutWords('x my-key y my-key', ['my-key'])).toBe('x [redacted] y [redacted]');
    expect(redact('password: hunter2', [])).toBe('password: [redacted]');
  });
});
