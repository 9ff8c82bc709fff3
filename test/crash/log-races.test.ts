import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionPaths } from '../../src/log/session-name.js';
import { storeOn } from './log/account.js';
import { buildChild, Child, nodesWithSqlite, type Built } from './log/children.js';

const isSoak = process.env['BOUGH_SOAK'] === '1';
const PROCESSES = 8;
const appends = isSoak ? 500 : 60;
const rounds = isSoak ? 40 : 12;
const options = { timeout: 20 * 60_000 };
const sqliteNodes = nodesWithSqlite();
const every = [...new Set([process.execPath, ...sqliteNodes])];
/** In CI one Node of each kind of lock. */
const nodes = isSoak ? every : every.slice(0, 2);
const names = Array.from({ length: PROCESSES }, (_, index) => `p${index + 1}`);
/** Windows of several versions, some of which keep no index: to each of them those of the others are worth nothing. */
const environmentOf = (name: string): NodeJS.ProcessEnv => {
  const nth = names.indexOf(name);
  return { INDEX: nth % 4 === 3 ? 'off' : 'on', PRODUCER: `bough/test.${nth % 3}` };
};

let built: Built;
let folder: string;
beforeAll(async () => {
  built = await buildChild();
});
afterAll(() => built.dispose());

/** A folder with a session `s` of one message, and processes on it; none of that outlives `work`. */
async function withProcesses(
  start: (name: string) => Child,
  work: (children: Map<string, Child>) => Promise<void>,
): Promise<void> {
  folder = await mkdtemp(path.join(os.tmpdir(), 'bough-race-'));
  const children = new Map<string, Child>();
  try {
    const store = storeOn(folder);
    const log = await store.create({ id: 's' });
    await log.append([{ type: 'message', role: 'user', parts: [{ type: 'text', text: 'a' }] }]);
    await store.close();
    for (const name of names) children.set(name, start(name));
    await Promise.all([...children.values()].map((child) => child.said((line) => line === 'ready')));
    await work(children);
  } finally {
    await Promise.all([...children.values()].map((child) => child.end()));
    await rm(folder, { recursive: true, force: true });
  }
}

async function race(children: Map<string, Child>): Promise<Map<string, string[]>> {
  for (const child of children.values()) child.tell('go');
  await Promise.all([...children.values()].map((child) => child.said((line) => line === 'done')));
  const acknowledged = new Map<string, string[]>();
  for (const child of children.values()) {
    expect(child.lines.filter((line) => line.startsWith('trouble'))).toEqual([]);
    for (const line of child.lines) {
      const [word, session = '', ...ids] = line.split(' ');
      if (word === 'ack') acknowledged.set(session, [...(acknowledged.get(session) ?? []), ...ids]);
    }
  }
  return acknowledged;
}

/** Temporary files, claims, leases: there is none when nobody is at work. */
async function expectNothingLeft(): Promise<void> {
  const left = (await readdir(folder, { recursive: true })).filter((name) =>
    /\.(tmp|claim|stale|lease\.json|damaged)$/.test(name),
  );
  expect(left).toEqual([]);
}

describe('processes that write at once', options, () => {
  it.each(nodes)(`B1: lose none of ${PROCESSES} × ${appends} appends to one session (%s)`, (node) =>
    withProcesses(
      (name) => new Child(node, built.script, ['append', folder, name, String(appends)], environmentOf(name)),
      async (children) => {
        const begin = performance.now();
        const ids = (await race(children)).get('s') ?? [];
        const seconds = (performance.now() - begin) / 1_000;
        console.info(`figure: ${ids.length} appends of ${PROCESSES} processes in ${seconds.toFixed(1)} s`);
        const log = await storeOn(folder).open('s');
        expect(new Set(ids).size).toBe(PROCESSES * appends);
        // Each went on where the one before left off: one line, in which every process's own are in order.
        const line = (await log.path()).slice(1);
        expect(line.map(({ id }) => id).sort()).toEqual([...ids].sort());
        expect(log.damage).toEqual([]);
        for (const [name, child] of children) {
          const own = child.lines.flatMap((said) => (said.startsWith('ack') ? said.split(' ').slice(2) : []));
          const inLog = line.filter(({ id }) => own.includes(id)).map(({ id }) => id);
          expect(inLog, name).toEqual(own);
        }
        await log.close();
        await expectNothingLeft();
      },
    ),
  );

  it.each(nodes.slice(0, 1))(
    `B2: forget no session in ${PROCESSES} × ${appends} changes of one index (%s)`,
    (node) =>
      withProcesses(
        (name) =>
          new Child(node, built.script, ['index', folder, name, String(appends)], environmentOf(name)),
        async (children) => {
          const acknowledged = await race(children);
          const { sessions } = await storeOn(folder).list({ limit: 200 });
          expect(sessions.map(({ id, messages }) => [id, messages]).sort()).toEqual(
            [['s', 1], ...[...acknowledged].map(([id, ids]) => [id, ids.length])].sort(),
          );
          const index = JSON.parse(await readFile(path.join(folder, 'cache', 'index.json'), 'utf8')) as {
            rows: object;
          };
          expect(Object.keys(index.rows)).toHaveLength(sessions.length);
          await expectNothingLeft();
        },
      ),
  );
});

async function ask(child: Child, order: 'take' | 'let go'): Promise<string> {
  const from = child.lines.length;
  child.tell(order);
  return child.said(() => true, from);
}

/** All ask at once; the name of the one that got it. */
async function askAll(children: ReadonlyMap<string, Child>): Promise<string> {
  const answers = await Promise.all(
    [...children].map(async ([name, child]) => [name, await ask(child, 'take')] as const),
  );
  const owners = answers.filter(([, answer]) => answer === 'owner').map(([name]) => name);
  expect(owners, answers.join('\n')).toHaveLength(1);
  return owners[0] ?? '';
}

const contend = (node: string) => (name: string) => new Child(node, built.script, ['lease', folder, name]);

describe('processes that contend for the lease', options, () => {
  it.skipIf(sqliteNodes.length > 0)('have a lock of the system’s to contend for', ({ skip }) => {
    skip(
      'no Node with node:sqlite here (scripts/setup-vscode.mjs brings two): only the lease file was tested',
    );
  });

  it.each(nodes)(`B1: exactly one gets a stale one, in each of ${rounds} rounds (%s)`, (node) =>
    withProcesses(contend(node), async (children) => {
      const { lease } = sessionPaths(path.join(folder, 'sessions'), 's');
      const since = '2026-01-01T00:00:00Z';
      for (let round = 0; round < rounds; round++) {
        const dead = { window: 'dead', pid: 2 ** 22 + 1, host: os.hostname(), since };
        await writeFile(
          lease,
          JSON.stringify({ ...dead, purpose: 'run', beat: since, nonce: String(round) }),
        );
        const owner = await askAll(children);
        const own = children.get(owner);
        if (own !== undefined) expect(await ask(own, 'let go')).toBe('free');
      }
      await expectNothingLeft();
    }),
  );

  it.each(every)('B1: exactly one owns it, and it is free as soon as its owner is dead (%s)', (node) =>
    withProcesses(contend(node), async (children) => {
      const times: number[] = [];
      let death = performance.now();
      while (children.size > 0) {
        const owner = await askAll(children);
        times.push(performance.now() - death);
        // Whoever asks now is told the same name.
        for (const [name, child] of children)
          if (name !== owner) expect(await ask(child, 'take')).toContain(`locked by ${owner} (process `);
        await children.get(owner)?.kill();
        children.delete(owner);
        death = performance.now();
      }
      const after = times.slice(1).map((ms) => ms.toFixed(0));
      console.info(`figure: the lease was taken ${after.join(', ')} ms after SIGKILL of its owner`);
    }),
  );
});
