import { describe, expect, it } from 'vitest';
import { parseLine } from '../../../src/log/codec.js';
import { recordsAgain, recordTexts } from '../../../src/log/record-text.js';
import { messageLine } from './lines.js';

const future = '{"type":"future","id":"f","parent_id":null,"timestamp":"t","n":1.0}';
const noted = '{"type":"agent_bind","id":"n","parent_id":"a","timestamp":"t","agent_id":"x","n":1.0}';
const a = messageLine('a', null, '{"id":"n"} \\"');

describe('records of a line that was found good', () => {
  it.each([
    a,
    `[${a},${noted}]`,
    ` [ ${a} , ${noted} ]\r`,
    `[${noted}]`,
    `\t${noted} \r`,
    `\0${a}\0`,
    a + noted,
    future,
    `[${a},${future}]`,
    `{"type":"message","id":"z","parts":[{"type":"te${noted}`,
    noted.replace('"n":1.0', '"id":"m"'),
  ])('are those that are found when it is read for the first time: %#', (line) => {
    const bytes = Buffer.from(line);
    const { entries, texts, areAll } = recordsAgain(bytes, 'own', 'now');
    expect(entries).toEqual(parseLine(bytes, 'own', 'now').entries);
    expect(texts).toEqual(recordTexts(bytes, 'own', 'now'));
    if (!areAll) return;
    const written = texts.map((text) => JSON.parse(text) as { id: string; parent_id: string | null });
    expect(written.map(({ id, parent_id }) => [id, parent_id])).toEqual(
      entries.map(({ id, parent_id }) => [id, parent_id]),
    );
  });

  it('are known by what their texts say where nothing else stands on the line', () => {
    expect(recordsAgain(Buffer.from(`[${a},${noted}]`), 'own', 'now')).toMatchObject({
      areAll: true,
      texts: [a, noted],
    });
    expect(recordsAgain(Buffer.from(a + noted), 'own', 'now').areAll).toBe(false);
  });
});
