import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TextReader } from '../../../../src/host/sessions/text-reader.js';
import type { SaidText } from '../../../../src/log/said-text.js';
import { FakeClock } from '../../log/support.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'bough-texts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const said = (text: string): SaidText => ({ size: 1, mtime: 1, text: Buffer.from(text) });
const words = (texts: (SaidText | undefined)[]): (string | undefined)[] =>
  texts.map((one) => (one === undefined ? undefined : Buffer.from(one.text).toString()));

async function readerOf(code: string) {
  const script = path.join(folder, 'worker.mjs');
  await writeFile(script, `import { parentPort } from 'node:worker_threads';\n${code}`);
  const troubles: string[] = [];
  const clock = new FakeClock();
  const reader = new TextReader({
    script,
    clock,
    here: (logs) => Promise.resolve(logs.map((log) => said(`here ${log}`))),
    onTrouble: (error) => troubles.push(error.message),
  });
  return { reader, clock, troubles };
}

const ECHO = `let count = 0;
parentPort.on('message', ({ id, logs }) => {
  count += 1;
  const texts = logs.map((log) => log === 'gone' ? undefined : { size: 1, mtime: 1, text: new TextEncoder().encode(log + count) });
  parentPort.postMessage({ id, texts }, texts.flatMap((one) => one === undefined ? [] : [one.text.buffer]));
});`;

it('asks one thread, which ends when nobody searches', async () => {
  const { reader, clock } = await readerOf(ECHO);
  const both = await Promise.all([reader.read(['a', 'gone']), reader.read(['b'])]);
  expect(both.map(words)).toEqual([['a1', undefined], ['b2']]);
  clock.advance(60_000);
  expect(words(await reader.read(['c']))).toEqual(['c1']);
  reader.dispose();
});

it('reads here when the thread breaks, and says so', async () => {
  const { reader, troubles } = await readerOf(
    `parentPort.on('message', () => { throw new Error('no memory'); });`,
  );
  expect(words(await reader.read(['a']))).toEqual(['here a']);
  expect(troubles).toEqual(['no memory']);
  expect(words(await reader.read(['b']))).toEqual(['here b']);
  reader.dispose();
});

it('lets go of whoever waits when it is disposed of', async () => {
  const { reader } = await readerOf(`parentPort.on('message', () => undefined);`);
  const waiting = reader.read(['a']);
  reader.dispose();
  expect(await waiting).toEqual([undefined]);
});
