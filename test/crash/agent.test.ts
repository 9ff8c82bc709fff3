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
import { Effects, LAST_WORDS } from './agent/scripted.js';

const RUNS = process.env['BOUGH_SOAK'] === '1' ? 100 : 10;
/** How often the host of one run is killed before it is left alone. */
const KILLS = 3;

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

/** Runs one host and kills it a moment after it has said so many lines; Infinity lets it live. */
function live(folder: string, linesToLive: number): Promise<Life> {
  return new Promise((resolve, reject) => {
    const host = spawn(process.execPath, [bundle, folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Node 22 warns of its own SQLite; anything else on stderr is a failure.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    const life: Life = { lines: [], wasKilled: false, errors: '' };
    let rest = '';
    let isDoomed = false;
    host.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      life.lines.push(...lines);
      if (life.lines.length < linesToLive || isDoomed) return;
      isDoomed = true;
      setTimeout(() => (life.wasKilled = host.kill('SIGKILL')), Math.random() * 25);
    });
    host.stderr.setEncoding('utf8').on('data', (chunk: string) => (life.errors += chunk));
    host.on('error', reject);
    host.on('close', () => resolve(life));
  });
}

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

describe('a killed host', () => {
  it.each(Array.from({ length: RUNS }, (_, run) => run))('run %i', async () => {
    const folder = mkdtempSync(path.join(bundles, 'run-'));
    mkdirSync(path.join(folder, 'files'));
    const acknowledged: string[] = [];
    const lives: Life[] = [];
    for (let kill = 0; ; kill++) {
      const life = await live(folder, kill < KILLS ? 1 + Math.floor(Math.random() * 60) : Infinity);
      lives.push(life);
      acknowledged.push(...life.lines.filter((line) => line.startsWith('ack ')).map((line) => line.slice(4)));
      if (!life.wasKilled) break;
    }
    const told = JSON.stringify(lives, null, 1);
    const last = lives.at(-1);
    expect(last?.lines.at(-1), told).toBe('finished');
    expect(lives.map(({ errors }) => errors).join(''), told).toBe('');

    const entries = entriesOf(folder);
    const ids = new Set(entries.map(({ id }) => id));
    expect(
      acknowledged.filter((id) => !ids.has(id)),
      told,
    ).toEqual([]);
    expect(ids.size).toBe(entries.length);

    const effects = new Effects(folder).read();
    const begun = effects.filter((line) => line.startsWith('begin '));
    expect(new Set(begun).size, effects.join('\n')).toBe(begun.length);
    const started = startedKeys(entries);
    for (const line of begun) expect(started).toContain(line.slice('begin '.length));
    for (const key of finishedKeys(entries)) expect(effects).toContain(`end ${key}`);

    const answers = entries.filter((entry) => entry.type === 'message' && entry.role === 'assistant');
    expect(JSON.stringify(answers.at(-1))).toContain(LAST_WORDS);
    const ends = entries.flatMap((entry) => (entry.type === 'turn_end' ? [entry.status] : []));
    expect(ends.at(-1)).toBe('completed');
    const starts = entries.filter(({ type }) => type === 'turn_start');
    expect(ends).toHaveLength(starts.length);

    const before = readFileSync(path.join(folder, 'sessions', 'played.jsonl'), 'utf8');
    const again = await live(folder, Infinity);
    expect(
      again.lines.filter((line) => !line.startsWith('log ')),
      told,
    ).toEqual(['open', 'finished']);
    expect(readFileSync(path.join(folder, 'sessions', 'played.jsonl'), 'utf8')).toBe(before);
  });
});
