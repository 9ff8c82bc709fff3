import fc from 'fast-check';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldedText } from '../../../src/log/folded-text.js';
import { Ledger } from '../../../src/log/ledger.js';
import { MemoryFiles } from '../../../src/log/memory-files.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { textsHere, type ReadTexts } from '../../../src/log/said-text.js';
import type { Entry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { anyLog } from '../shared/arbitrary.js';
import { assistant, makePlace, user, type Place } from './support.js';

const HEADER = JSON.stringify({
  type: 'session',
  version: 4,
  id: 's',
  timestamp: '2026-01-01T00:00:00.000Z',
});

/** As it is written: the links stand first. */
function canonical({ type, id, parent_id, timestamp, ...rest }: Entry): string {
  return JSON.stringify({ type, id, parent_id, timestamp, ...rest });
}

/** By the reader of the log, every line of it. */
function saidBy(lines: readonly string[]): string {
  const ledger = new Ledger('s', '');
  const said: string[] = [];
  for (const line of lines) {
    const bytes = Buffer.from(line);
    const { from: offset, line: number } = ledger.next;
    const end = offset + bytes.length + 1;
    const raw = { line: number, offset, bytes, end, isTerminated: true, isTooLong: false };
    for (const { entry } of ledger.take(raw)) {
      if (entry.type === 'incomplete_output') said.push(entry.text || (entry.preview ?? ''));
      if (entry.type !== 'message' || entry.role === 'tool') continue;
      for (const part of entry.parts) if (part.type === 'text') said.push(part.text || (part.preview ?? ''));
    }
  }
  return foldedText(said.join('\n'));
}

it('takes of any log, however damaged, what its reader makes of each line', async () => {
  const harm = fc.constantFrom('fuse', 'cut', 'garbage', 'shuffle', 'nul');
  const property = fc.asyncProperty(
    anyLog(),
    fc.array(fc.tuple(fc.nat(40), harm), { maxLength: 3 }),
    async (entries, harms) => {
      const lines = entries.map(canonical);
      for (const [at, kind] of harms) {
        const place = at % Math.max(1, lines.length);
        const line = lines[place] ?? '';
        if (kind === 'fuse') lines.splice(place, 2, line + (lines[place + 1] ?? ''));
        else if (kind === 'cut') lines[place] = line.slice(0, line.length >> 1);
        else if (kind === 'garbage') lines.splice(place, 0, '{"type":"message"');
        else if (kind === 'shuffle') lines[place] = JSON.stringify(entries[place] ?? {});
        else lines[place] = `\0\0${line}`;
      }
      const files = new MemoryFiles(() => 0);
      await files.makeFolder('/s');
      await files.replace('/s/s.jsonl', Buffer.from([HEADER, ...lines, ''].join('\n')));
      const [said] = await textsHere(files)(['/s/s.jsonl']);
      expect(Buffer.from(said?.text ?? []).toString()).toBe(
        Buffer.from(saidBy([HEADER, ...lines])).toString(),
      );
    },
  );
  await fc.assert(property, { numRuns: runs({ usual: 500, soak: 20_000 }) });
}, 300_000);

describe('a search over sessions', () => {
  let place: Place;
  let read: string[];
  const readTexts: ReadTexts = (logs) => {
    read.push(...logs.map((log) => path.basename(log)));
    return textsHere(createNodeFiles())(logs);
  };
  const cache = (): string => path.join(place.folder, 'cache/said.text');
  const ids = async (text: string, search = readTexts): Promise<string[]> => {
    const store = place.store({ readTexts: search });
    const { sessions } = await store.list({ text, archived: 'all' });
    await store.close();
    return sessions.map(({ id }) => id).sort();
  };
  beforeEach(async () => {
    place = await makePlace();
    read = [];
    const store = place.store();
    await (await store.create({ id: 'one' })).append([user('Find the bug'), assistant('It is in ÄPFEL.ts')]);
    await (await store.create({ id: 'two' })).append([user('Write a test'), assistant('Done, no bug left')]);
    const result = {
      type: 'tool_result' as const,
      call_id: 'c',
      name: 'read',
      content: 'hidden',
      is_error: false,
    };
    await (
      await store.create({ id: 'three' })
    ).append([
      user('Look'),
      { type: 'message', role: 'tool', parts: [result] },
      { type: 'session_info', archived: true },
    ]);
    await store.close();
  });
  afterEach(() => place.dispose());

  it('finds what was said and how sessions are called, in any case, and no output of tools', async () => {
    expect(await ids('BUG')).toEqual(['one', 'two']);
    expect(await ids('äpfel')).toEqual(['one']);
    expect(await ids(' look ')).toEqual(['three']);
    expect(await ids('hidden')).toEqual([]);
    expect(await ids('')).toEqual(['one', 'three', 'two']);
  });

  it('reads a log once, and again when it changed', async () => {
    expect(await ids('left')).toEqual(['two']);
    expect(read.sort()).toEqual(['one.jsonl', 'three.jsonl', 'two.jsonl']);
    read = [];
    expect(await ids('left')).toEqual(['two']);
    expect(read).toEqual([]);
    const store = place.store();
    await (await store.open('one')).append([user('what is left?')]);
    await store.close();
    expect(await ids('left')).toEqual(['one', 'two']);
    expect(read).toEqual(['one.jsonl']);
  });

  it('finds the same when what it kept is gone, short, garbled, of another version or of other logs', async () => {
    await ids('no bug');
    const kept = await readFile(cache());
    const harms = [0, 3, 9, 20, kept.length >> 1, kept.length - 1].flatMap((at) => {
      const garbled = Buffer.from(kept);
      garbled[at] = (garbled[at] ?? 0) ^ 0xff;
      return [garbled, kept.subarray(0, at), Buffer.concat([kept, kept.subarray(0, at + 1)])];
    });
    for (const harmed of [...harms, Buffer.from('boughsay nonsense'), Buffer.alloc(0)]) {
      await writeFile(cache(), harmed);
      expect(await ids('no bug')).toEqual(['two']);
      expect((await readFile(cache())).length).toBe(kept.length);
    }
    await rm(cache());
    expect(await ids('no bug')).toEqual(['two']);
    // A log in the place of another, as long as that.
    const log = place.log('two');
    await writeFile(log, (await readFile(log, 'utf8')).replace('no bug', 'NO CAT'));
    const { atime, mtimeMs } = await stat(log);
    await utimes(log, atime, new Date(mtimeMs + 5_000));
    expect(await ids('no bug')).toEqual([]);
    expect(await ids('no cat')).toEqual(['two']);
  });

  it('keeps nothing of a session that was deleted, and goes on without what cannot be read', async () => {
    await ids('bug');
    const store = place.store();
    await store.delete('one');
    await store.close();
    await expect(readFile(cache())).rejects.toThrow();
    expect(await ids('bug')).toEqual(['two']);
    expect((await readFile(cache())).includes('find the bug')).toBe(false);
    await rm(place.log('two'));
    await ids('look');
    await rm(cache());
    expect(await ids('bug', (logs) => Promise.resolve(logs.map(() => undefined)))).toEqual([]);
  });

  it.each([
    ['ΟΔΟΣ', 'ΟΔΟΣΑ λέξη'],
    ['οδοσ', 'η οδος'],
    ['caf\u00e9', 'un cafe\u0301 noir'],
    ['cafe\u0301', 'un CAF\u00c9 noir'],
    ['STRASSE', 'In der Straße'],
    ['straße', 'IN DER STRASSE'],
  ])('finds %s in %s, whether it was said or is a title', async (words, text) => {
    const store = place.store();
    await (await store.create({ id: 'said', title: 'x' })).append([user(text)]);
    await (await store.create({ id: 'titled', title: text })).append([user('x')]);
    const found = (await store.list({ text: words })).sessions.map(({ id }) => id);
    expect(found.sort()).toEqual(['said', 'titled']);
    expect((await store.list({ text: `${words}!` })).sessions).toEqual([]);
  });
});
