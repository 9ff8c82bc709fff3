/** One measurement of Bough's store in a process of its own: `WORK FOLDER ID`. Prints what it took and what came of it. */
import { randomBytes } from 'node:crypto';
import { open as openFile, readFile, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { selectPath } from '../../../src/agent/context/select.js';
import { toldLine } from '../../../src/agent/context/told-line.js';
import { TextReader } from '../../../src/host/sessions/text-reader.js';
import { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { textsHere, type ReadTexts } from '../../../src/log/said-text.js';
import type { SessionLog } from '../../../src/log/store.js';
import type { Clock } from '../../../src/ports.js';
import type { Draft } from '../../../src/shared/notes.js';
import { SEARCHED, measured, told, type Works } from './measured.js';

const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};

const store = (folder: string, readTexts?: ReadTexts): FileStore =>
  new FileStore({
    folder: path.join(folder, 'ours'),
    files: createNodeFiles(),
    clock,
    ...(readTexts === undefined ? {} : { readTexts }),
    ids: { entry: () => randomBytes(8).toString('hex'), session: () => randomBytes(8).toString('hex') },
    locks: new LockTable(),
    who: { window: 'bench', pid: process.pid, host: os.hostname() },
    producer: 'bough/bench',
    onTrouble: (error) => process.stderr.write(`${error.message}\n`),
  });

/** As the extension host does: logs are read in a thread of its own. */
function searching(folder: string): { reader: TextReader; store: FileStore } {
  const script = fileURLToPath(new URL('text-worker.mjs', import.meta.url));
  const here = textsHere(createNodeFiles());
  const onTrouble = (error: Error): void => void process.stderr.write(`${error.message}\n`);
  const reader = new TextReader({ script, here, clock, onTrouble });
  return { reader, store: store(folder, reader.read) };
}

const NEWLINE = 0x0a;
type Context = ReturnType<typeof selectPath>;

const contextOf = async (log: SessionLog, head?: string): Promise<Context> =>
  selectPath(await toldLine(log, head));

/** To be compared with the peer's. */
function textsOf(context: Context): string[] {
  return context
    .flatMap((part) => (part.kind === 'message' ? part.entry.parts : []))
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return part.type === 'tool_result' ? [part.content] : [];
    });
}

/** What the panel shows: the tree, what holds at the head, and the end of the line. */
async function openTo(folder: string, id: string): Promise<{ log: SessionLog; count: number }> {
  const log = await store(folder).open(id);
  // Only of a session that somebody looks at what was read stays in memory.
  log.show();
  const { head } = log.state();
  const { entries } = await log.page(200);
  if (head !== log.head || entries.length === 0) throw new Error('this is no session');
  return { log, count: log.position };
}

const draft = (index: number): Draft => ({
  type: 'message',
  role: 'user',
  parts: [{ type: 'text', text: `entry ${String(index)} ${'x'.repeat(400)}` }],
});

/** The newest end of a line that is not the one in view. */
function otherLeaf(log: SessionLog): string {
  const parents = new Set(log.outline.map(([, parent]) => parent));
  const leaves = log.outline.filter((_, ordinal) => !parents.has(ordinal)).map(([id]) => id);
  return leaves.filter((id) => id !== log.head).at(-1) ?? '';
}

const works: Works = {
  open: (folder, id) =>
    measured(
      () => openTo(folder, id),
      ({ count }) => ({ count }),
    ),
  /** As tabs hold them, in one process. */
  'open five': (folder, id) =>
    measured(
      () => Promise.all([0, 1, 2, 3, 4].map((n) => openTo(folder, `${id}-${String(n)}`))),
      (opened) => ({ count: opened.reduce((sum, { count }) => sum + count, 0) }),
    ),
  /** The floor of whoever says of each line whether it is JSON. */
  'open floor': (folder, id) =>
    measured(
      async () => {
        const bytes = await readFile(path.join(folder, 'ours/sessions', `${id}.jsonl`));
        let count = 0;
        for (let from = 0; from < bytes.length;) {
          const end = bytes.indexOf(NEWLINE, from);
          JSON.parse(bytes.toString('utf8', from, end));
          count++;
          from = end + 1;
        }
        return count;
      },
      (lines) => ({ lines }),
    ),
  'open to context': (folder, id) =>
    measured(
      async () => {
        const { count, log } = await openTo(folder, id);
        return { count, context: await contextOf(log) };
      },
      ({ count, context }) => ({ count, context: told(textsOf(context)) }),
    ),
  /** With no time taken: what a first visit leaves behind is there for the next. */
  visit: async (folder, id) => {
    const { log } = await openTo(folder, id);
    await log.close();
    return { ms: 0, bytes: 0 };
  },
  forget: async (folder, id) => {
    await rm(path.join(folder, 'ours/cache', `${id}.index`), { force: true });
    return { ms: 0, bytes: 0 };
  },
  'cached context': async (folder, id) => {
    const { log } = await openTo(folder, id);
    await contextOf(log);
    return measured(
      () => contextOf(log),
      (context) => ({ context: told(textsOf(context)) }),
    );
  },
  switch: async (folder, id) => {
    const { log } = await openTo(folder, id);
    const head = otherLeaf(log);
    return measured(
      () => {
        log.state(head);
        return contextOf(log, head);
      },
      (context) => ({ head, context: told(textsOf(context)) }),
    );
  },
  fork: (folder, id) =>
    measured(
      () => store(folder).fork(id),
      (copy) => ({ count: copy.outline.length }),
    ),
  append: async (folder, id) => {
    const log = await store(folder).openOrCreate(id);
    await log.append([draft(0)]);
    const lease = await log.acquire();
    const result = await measured(async () => {
      for (let index = 1; index <= 200; index++) await log.append([draft(index)]);
    });
    lease.dispose();
    return result;
  },
  burst: async (folder, id) => {
    const log = await store(folder).openOrCreate(id);
    await log.append([draft(0)]);
    const lease = await log.acquire();
    const result = await measured(
      () => Promise.all(Array.from({ length: 1_000 }, (_, index) => log.append([draft(index)]))),
      () => ({ count: log.outline.length }),
    );
    lease.dispose();
    return result;
  },
  /** The floor of one by one: a write and a sync each. */
  'append floor': async (folder, id) => {
    const file = await openFile(path.join(folder, `${id}.floor`), 'a');
    const result = await measured(async () => {
      for (let index = 1; index <= 200; index++) {
        const begin = { id: randomBytes(8).toString('hex'), parent_id: randomBytes(8).toString('hex') };
        const timestamp = new Date().toISOString();
        await file.write(`${JSON.stringify({ ...begin, timestamp, ...draft(index) })}\n`);
        await file.datasync();
      }
    });
    await file.close();
    return result;
  },
  /** What the panel shows at first. */
  'first page': (folder) =>
    measured(
      () => store(folder).list({ limit: 50 }),
      ({ sessions }) => ({ count: sessions.length }),
    ),
  'forget list': async (folder) => {
    await rm(path.join(folder, 'ours/cache'), { recursive: true, force: true });
    return { ms: 0, bytes: 0 };
  },
  /** The floor of whoever looks whether each log is as it was. */
  'list floor': (folder) =>
    measured(
      async () => {
        const sessions = path.join(folder, 'ours/sessions');
        const names = (await readdir(sessions)).values();
        const look = async (): Promise<void> => {
          for (const name of names) await stat(path.join(sessions, name));
        };
        await Promise.all(Array.from({ length: 32 }, look));
      },
      () => ({}),
    ),
  /** Among all sessions, whatever they are called. */
  search: async (folder) => {
    const { reader, store: shop } = searching(folder);
    const result = await measured(
      () => shop.list({ archived: 'all', limit: 200, text: SEARCHED }),
      ({ sessions }) => ({
        hits: sessions
          .map((row) => row.id)
          .sort()
          .join(' '),
      }),
    );
    reader.dispose();
    return result;
  },
  'forget texts': async (folder) => {
    await rm(path.join(folder, 'ours/cache/said.text'), { force: true });
    return { ms: 0, bytes: 0 };
  },
  list: (folder) =>
    measured(
      async () => {
        const shop = store(folder);
        let count = 0;
        let messages = 0;
        for (let cursor: string | undefined; ;) {
          const page = await shop.list({
            archived: 'all',
            limit: 200,
            ...(cursor === undefined ? {} : { cursor }),
          });
          count += page.sessions.length;
          for (const row of page.sessions) messages += row.messages;
          if (page.cursor === undefined) return { count, messages };
          cursor = page.cursor;
        }
      },
      (outcome) => outcome,
    ),
};

const [work = '', folder = '', id = ''] = process.argv.slice(2);
const run = works[work];
if (run === undefined) throw new Error(`there is no work ${work}`);
process.stdout.write(`${JSON.stringify(await run(folder, id))}\n`);
process.exit(0);
