import { readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStoreParts } from '../../../src/log/file-store.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { SessionLog } from '../../../src/log/store.js';
import type { Files } from '../../../src/ports.js';
import { assistant, makePlace, user, type Place } from './support.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

const indexFile = (): string => path.join(place.folder, 'cache/s.index');

/** How many bytes of logs are read. `past`: nothing on this disk was changed lately. */
function watched(past: boolean): { files: Files; read: () => number } {
  const inner = createNodeFiles();
  let count = 0;
  const files: Files = {
    ...inner,
    stat: async (file) => {
      const found = await inner.stat(file);
      const isIndex = past && file.endsWith('.index') && found.changed !== undefined;
      return isIndex ? { ...found, changed: (found.changed ?? 0) + 60_000 } : found;
    },
    open: async (file, mode) => {
      const opened = await inner.open(file, mode);
      if (!file.endsWith('.jsonl')) return opened;
      const read = async (into: Uint8Array, position: number): Promise<number> => {
        const got = await opened.read(into, position);
        count += got;
        return got;
      };
      return { ...opened, read };
    },
  };
  return { files, read: () => count };
}

async function seen(parts: Partial<FileStoreParts> = {}): Promise<unknown> {
  const store = place.store({ indexFrom: 0, ...parts });
  const log = await store.open('s');
  const found = await factsOf(log);
  await store.close();
  return found;
}

async function factsOf(log: SessionLog): Promise<unknown> {
  const { outline, head, damage, position } = log;
  return { outline, head, damage, position, state: log.state(), entries: await log.since(0) };
}

async function write(count: number): Promise<void> {
  const store = place.store({ indexFrom: 0 });
  const log = await store.openOrCreate('s');
  for (let index = 0; index < count; index++)
    await log.append([index % 2 === 0 ? user(`say ${'x'.repeat(900)}`) : assistant('said')]);
  await store.close();
}

const eager = (): Promise<unknown> => seen({ indexFrom: Infinity });

describe('the index beside a log', () => {
  it('spares what it knows: of a log that nobody touched only the end is read', async () => {
    await write(400);
    const { size } = await stat(place.log('s'));
    const { files, read } = watched(true);
    const store = place.store({ indexFrom: 0, files });
    const log = await store.open('s');
    // The last block, which is all of a log this short, and the mark at its beginning.
    expect(read()).toBeLessThanOrEqual(size + 1024);
    const before = read();
    expect(log.position).toBe(400);
    expect(log.state().head).toBe(log.head);
    expect(read()).toBe(before);
    await store.close();
    expect(await seen()).toEqual(await eager());
  });

  it('is made anew of a log in which a byte was changed, though size and time are as they were', async () => {
    await write(20);
    const bytes = await readFile(place.log('s'));
    const { atime, mtime } = await stat(place.log('s'));
    const at = bytes.indexOf('say ');
    bytes.write('SAY ', at);
    await writeFile(place.log('s'), bytes);
    await utimes(place.log('s'), atime, mtime);
    for (const past of [true, false])
      expect(await seen({ files: watched(past).files })).toEqual(await eager());
    expect(JSON.stringify(await seen())).toContain('SAY ');
  });

  it('says nothing of a log that was cut, replaced or grown', async () => {
    await write(20);
    const bytes = await readFile(place.log('s'));
    const lines = bytes.toString().split('\n');
    const harms = [
      bytes.subarray(0, bytes.length - 300),
      Buffer.from([...lines.slice(0, 5), '{"broken', ...lines.slice(5)].join('\n')),
      Buffer.concat([bytes, Buffer.from('{"broken\n')]),
      Buffer.from([lines[0], ...lines.slice(10)].join('\n')),
    ];
    for (const harmed of harms) {
      await writeFile(place.log('s'), bytes);
      await seen();
      await writeFile(place.log('s'), harmed);
      expect(await seen()).toEqual(await eager());
      expect(await seen()).toEqual(await eager());
    }
  });

  it('is made anew when it is short, garbled, of another build or no index at all', async () => {
    await write(20);
    const index = await readFile(indexFile());
    const wanted = await eager();
    for (const at of [0, 9, 40, 200, index.length >> 1, index.length - 9]) {
      const garbled = Buffer.from(index);
      garbled[at] = (garbled[at] ?? 0) ^ 0xff;
      for (const bad of [garbled, index.subarray(0, at), Buffer.concat([index, index.subarray(0, at + 1)])]) {
        await writeFile(indexFile(), bad);
        expect(await seen()).toEqual(wanted);
      }
    }
    await seen({ producer: 'bough/another' });
    expect((await readFile(indexFile())).includes('bough/another')).toBe(true);
    await rm(indexFile());
    expect(await seen()).toEqual(wanted);
    expect(await readdir(path.join(place.folder, 'cache'))).toContain('s.index');
  });

  it('goes with its log, is not copied with it, and is no finding of a check', async () => {
    await write(20);
    const store = place.store({ indexFrom: 0 });
    await store.fork('s', { id: 'copy' });
    const report = await store.verify();
    expect(report.logs.every(({ damage }) => damage.length === 0)).toBe(true);
    await store.delete('s');
    expect(await readdir(path.join(place.folder, 'cache'))).not.toContain('s.index');
    await store.close();
  });

  it('is not needed: a folder that takes none changes nothing', async () => {
    await write(4);
    await rm(path.join(place.folder, 'cache'), { recursive: true, force: true });
    await writeFile(path.join(place.folder, 'cache'), 'in its place');
    expect(await seen()).toEqual(await eager());
  });

  it('follows what another process appended', async () => {
    await write(20);
    await seen();
    const other = place.store({ indexFrom: Infinity });
    const log = await other.open('s');
    await log.append([user('from elsewhere')]);
    await other.close();
    expect(await seen()).toEqual(await eager());
    expect(JSON.stringify(await seen())).toContain('from elsewhere');
  });
});
