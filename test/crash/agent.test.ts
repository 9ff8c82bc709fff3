/**
 * A host that is killed at any moment of a turn with edits and commands: nothing that was acknowledged is missing, no
 * call that finished runs again, and Continue brings the turn to the end of its script.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isStandIn } from '../../src/shared/fold/stand-in.js';
import type { Entry } from '../../src/shared/notes.js';
import { Effects, LAST_WORDS, STEPS } from './agent/scripted.js';

/** How many times a host is killed in all, and at most within one turn. */
const WANTED = process.env['BOUGH_SOAK'] === '1' ? 500 : 60;
const KILLS = 6;
const RUNS = Math.ceil(WANTED / KILLS);

/** What may be missing of a stream. */
const BEHIND_MS = 1_000;

let bundles = '';
let bundle = '';

beforeAll(async () => {
  bundles = mkdtempSync(path.join(os.tmpdir(), 'bough-crash-'));
  bundle = path.join(bundles, 'host.mjs');
  await build({
    entryPoints: [path.join(import.meta.dirname, 'agent/host-process.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
});
afterAll(() => rmSync(bundles, { recursive: true, force: true }));

interface Life {
  lines: string[];
  wasKilled: boolean;
  errors: string;
}

/** When a host dies: a moment after it has said so many lines; `withText`: those about its stream count too. */
interface Fate {
  lines: number;
  withText: boolean;
}
const SPARED: Fate = { lines: Infinity, withText: false };

function live(folder: string, { lines, withText }: Fate): Promise<Life> {
  return new Promise((resolve, reject) => {
    const host = spawn(process.execPath, [bundle, folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Node 22 warns of its own SQLite; anything else on stderr is a failure.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    const life: Life = { lines: [], wasKilled: false, errors: '' };
    let rest = '';
    let said = 0;
    let isDoomed = false;
    host.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const more = (rest + chunk).split('\n');
      rest = more.pop() ?? '';
      life.lines.push(...more);
      said += more.filter((line) => withText || !line.startsWith('grew ')).length;
      if (said < lines || isDoomed) return;
      isDoomed = true;
      setTimeout(() => (life.wasKilled = host.kill('SIGKILL')), Math.random() * 25);
    });
    host.stderr.setEncoding('utf8').on('data', (chunk: string) => (life.errors += chunk));
    host.on('error', reject);
    host.on('close', () => resolve(life));
  });
}

const dice = (): Fate => {
  const withText = Math.random() < 0.5;
  return { withText, lines: 1 + Math.floor(Math.random() * (withText ? 120 : 22)) };
};

function entriesOf(folder: string): Entry[] {
  const text = readFileSync(path.join(folder, 'sessions', 'played.jsonl'), 'utf8');
  return text
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .flatMap((line) => JSON.parse(line) as Entry | Entry[]);
}

/** Keys of calls whose start is in the log. */
function startedKeys(entries: readonly Entry[]): string[] {
  const started = new Set(entries.flatMap((entry) => (entry.type === 'tool_start' ? [entry.call_id] : [])));
  return entries.flatMap((entry) =>
    entry.type === 'message'
      ? entry.parts.flatMap((part) =>
          part.type === 'tool_call' && started.has(part.call_id)
            ? [String(Reflect.get(Object(part.input), 'key'))]
            : [],
        )
      : [],
  );
}

/** Keys of calls that have a result of their own, not one that a repair put in its place. */
function finishedKeys(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === 'message'
      ? entry.parts.flatMap((part) =>
          part.type === 'tool_result' && !part.is_error && !isStandIn(part.content)
            ? [part.content.replace(/^\w+ /, '')]
            : [],
        )
      : [],
  );
}

/** Characters of an attempt that the log holds, finished or not. */
function keptChars(entries: readonly Entry[], attempt: string): number {
  let kept = 0;
  for (const entry of entries) {
    if (entry.type === 'incomplete_output' && entry.attempt_id === attempt)
      kept = Math.max(kept, entry.text.length);
    if (entry.type !== 'message' || entry.attempt_id !== attempt) continue;
    for (const part of entry.parts) if (part.type === 'text') kept = Math.max(kept, part.text.length);
  }
  return kept;
}

/** How much of what was shown when it died is missing: ms of the stream, counted back from the last that was shown. */
function lostStream({ lines }: Life, entries: readonly Entry[]): number {
  const grown = lines.flatMap((line) => {
    const [, attempt = '', chars, at] = /^grew (\S+) (\d+) (\d+)$/.exec(line) ?? [];
    return attempt === '' ? [] : [{ attempt, chars: Number(chars), at: Number(at) }];
  });
  const last = grown.at(-1);
  if (last === undefined) return 0;
  const kept = keptChars(entries, last.attempt);
  const missing = grown.find(({ attempt, chars }) => attempt === last.attempt && chars > kept);
  return missing === undefined ? 0 : last.at - missing.at;
}

interface Played {
  folder: string;
  lives: Life[];
  kills: number;
}

/** Plays the script with a host that is killed again and again, and once more without. */
async function play(kills: number): Promise<Played> {
  const folder = mkdtempSync(path.join(bundles, 'run-'));
  mkdirSync(path.join(folder, 'files'));
  const lives: Life[] = [];
  for (;;) {
    const life = await live(folder, lives.length < kills ? dice() : SPARED);
    lives.push(life);
    if (!life.wasKilled) return { folder, lives, kills: lives.length - 1 };
  }
}

let killed = 0;
let worst = 0;

async function check({ folder, lives, kills }: Played): Promise<void> {
  killed += kills;
  const told = JSON.stringify(lives, null, 1);
  expect(lives.at(-1)?.lines.at(-1), told).toBe('finished');
  expect(lives.map(({ errors }) => errors).join(''), told).toBe('');

  const entries = entriesOf(folder);
  const ids = new Set(entries.map(({ id }) => id));
  const acknowledged = lives.flatMap(({ lines }) => lines).filter((line) => line.startsWith('ack '));
  expect(
    acknowledged.filter((line) => !ids.has(line.slice('ack '.length))),
    told,
  ).toEqual([]);
  expect(ids.size).toBe(entries.length);

  for (const life of lives) {
    const lost = lostStream(life, entries);
    worst = Math.max(worst, lost);
    expect(lost, told).toBeLessThanOrEqual(BEHIND_MS);
  }
  checkTools(folder, entries);

  const answers = entries.filter((entry) => entry.type === 'message' && entry.role === 'assistant');
  expect(answers).toHaveLength(STEPS);
  expect(JSON.stringify(answers.at(-1))).toContain(LAST_WORDS);
  const ends = entries.flatMap((entry) => (entry.type === 'turn_end' ? [entry.status] : []));
  expect(ends.at(-1)).toBe('completed');
  expect(ends).toHaveLength(entries.filter(({ type }) => type === 'turn_start').length);

  const before = readFileSync(path.join(folder, 'sessions', 'played.jsonl'), 'utf8');
  const again = await live(folder, SPARED);
  expect(
    again.lines.filter((line) => !line.startsWith('log ')),
    told,
  ).toEqual(['open', 'finished']);
  expect(readFileSync(path.join(folder, 'sessions', 'played.jsonl'), 'utf8')).toBe(before);
}

/** None ran twice, none ran that the log had not promised, and what is said to be done is done. */
function checkTools(folder: string, entries: readonly Entry[]): void {
  const effects = new Effects(folder).read();
  const begun = effects.filter((line) => line.startsWith('begin '));
  expect(new Set(begun).size, effects.join('\n')).toBe(begun.length);
  const started = startedKeys(entries);
  for (const line of begun) expect(started).toContain(line.slice('begin '.length));
  for (const key of finishedKeys(entries)) {
    expect(effects).toContain(`end ${key}`);
    const [, step] = /^(\d+)\.1$/.exec(key) ?? [];
    if (step === undefined) continue;
    const file = path.join(folder, 'files', `file-${step}.txt`);
    expect(readFileSync(file, 'utf8')).toBe(`content of step ${step}\n`);
  }
}

describe('a killed host', () => {
  it.each(Array.from({ length: RUNS }, (_, run) => run))('run %i', async () => {
    await check(await play(KILLS));
  });

  it(`was killed at ${String(WANTED)} points in all`, async () => {
    // A turn may be over before all its deaths were died.
    while (killed < WANTED) await check(await play(WANTED - killed));
    process.stdout.write(
      `figure: ${String(killed)} kills of a ${String(STEPS)}-step turn; at most ${String(worst)} ms of streamed text missing\n`,
    );
  });
});
