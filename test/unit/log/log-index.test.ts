import { readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStoreParts } from '../../../src/log/file-store.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { SessionLog } from '../../../src/log/store.js';
import { BlockHashes } from '../../../src/log/block-hashes.js';
import { Sections, SectionWriter } from '../../../src/log/sections.js';
import type { Files } from '../../../src/ports.js';
import { resummed } from './index-states.js';
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

  it('is made anew when it is whole by its checksum and makes no sense', async () => {
    await write(20);
    const index = await readFile(indexFile());
    const wanted = await eager();
    const altered = (from: string, to: string): Buffer => {
      expect(index.includes(from)).toBe(true);
      return resummed(Buffer.from(index.toString('latin1').replace(from, to), 'latin1'));
    };
    const length = index.length - (index.length % 8);
    const parents = (...ordinals: number[]) => Buffer.from(Int32Array.from(ordinals).buffer);
    const circle = Buffer.from(index);
    const at = circle.indexOf(parents(-1, 0, 1, 2, 3));
    expect(at).toBeGreaterThan(0);
    parents(-1, 2, 1).copy(circle, at);
    const bad = [
      resummed(circle),
      // A piece that is away, a table and an identity that are no JSON, pieces that are not as long as they say.
      altered('["offsets",', '["offsetz",'),
      altered('["offsets",', '["offsets"]'),
      altered('{"version":', '{"version" '),
      altered('"blocks":[', '"blocks":[1,'),
      resummed(Buffer.from(index.subarray(0, length - 8))),
      resummed(Buffer.concat([index, Buffer.alloc(8)])),
    ];
    for (const bytes of bad) {
      await writeFile(indexFile(), bytes);
      expect(await seen()).toEqual(wanted);
      expect((await readFile(indexFile())).equals(bytes)).toBe(false);
    }
  });

  it('is not kept of a log that was changed behind our back while it was open', async () => {
    await write(20);
    await rm(indexFile());
    const store = place.store({ indexFrom: 0 });
    const log = await store.open('s');
    const bytes = await readFile(place.log('s'));
    bytes.write('SAY ', bytes.indexOf('say '));
    await writeFile(place.log('s'), bytes);
    await log.close();
    expect(await readdir(path.join(place.folder, 'cache')).catch(() => [])).not.toContain('s.index');
    expect(JSON.stringify(await seen())).toContain('SAY ');
  });

  it('is made anew when there is enough that it does not know, and not for every entry', async () => {
    await write(40);
    const before = await readFile(indexFile());
    const store = place.store({ indexFrom: 0 });
    const log = await store.open('s');
    // What a run leaves is kept at its end.
    for (const [text, isWorth] of [
      ['x'.repeat(9_000), true],
      ['y', false],
    ] as const) {
      const kept = await readFile(indexFile());
      const lease = await log.acquire();
      await log.append([user(text)]);
      lease.dispose();
      await log.catchUp();
      expect((await readFile(indexFile())).equals(kept)).toBe(!isWorth);
    }
    expect((await readFile(indexFile())).equals(before)).toBe(false);
    await store.close();
    expect(await seen()).toEqual(await eager());
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

describe('what an index is made of', () => {
  it('compares a log as far as it goes, and no further than it was summed', async () => {
    await write(4);
    const { size } = await stat(place.log('s'));
    const hashes = new BlockHashes();
    hashes.add(await readFile(place.log('s')), 0);
    const blocks = hashes.upTo(size) ?? [];
    const file = await createNodeFiles().open(place.log('s'), 'read');
    expect(await BlockHashes.compare(file, { size, blocks }, false)).toBeDefined();
    expect(await BlockHashes.compare(file, { size, blocks: [...blocks, 1] }, false)).toBeUndefined();
    expect(await BlockHashes.compare(file, { size: size + 1, blocks }, false)).toBeUndefined();
    await file.close();
    // Bytes that do not follow on those before say nothing of the whole.
    hashes.add(new Uint8Array(3), size + 1);
    expect(hashes.upTo(size + 3)).toBeUndefined();
  });

  it('has the pieces that were put there, and no other', async () => {
    const writer = new SectionWriter();
    writer.texts('texts', ['a', '', 'ü']);
    const bytes = new Uint8Array(Buffer.concat(await writer.pieces()));
    const sections = new Sections(bytes);
    const texts = sections.texts('texts');
    expect([texts.length, texts.text(0), texts.text(1), texts.text(2)]).toEqual([3, 'a', '', 'ü']);
    expect(() => sections.bytes('other')).toThrow('other');
    expect(() => new Sections(bytes.subarray(0, bytes.length - 8))).toThrow(RangeError);
  });
});
