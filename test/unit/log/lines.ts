/** Logs as bytes: small ones that a test spells out line by line. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LogDamage, SessionLog } from '../../../src/log/store.js';
import type { Entry } from '../../../src/shared/notes.js';
import type { Place } from './support.js';

const time = '2026-01-01T00:00:00.000Z';

export const headerLine = (id: string, fields: object = {}): string =>
  JSON.stringify({ type: 'session', version: 4, id, timestamp: time, ...fields });

export const messageLine = (id: string, parent: string | null, text = id, fields: object = {}): string =>
  JSON.stringify({
    type: 'message',
    id,
    parent_id: parent,
    timestamp: time,
    role: 'user',
    parts: [{ type: 'text', text }],
    ...fields,
  });

export const noteLine = (type: string, id: string, parent: string | null, fields: object): string =>
  JSON.stringify({ type, id, parent_id: parent, timestamp: time, ...fields });

type Piece = string | Uint8Array;

/** Each piece followed by a newline. */
export const lines = (...pieces: Piece[]): Buffer =>
  Buffer.concat(pieces.flatMap((piece) => [Buffer.from(piece), Buffer.from('\n')]));

export const joined = (...pieces: Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece)));

/** Puts a log into a place's folder, as if somebody had written it. */
export async function putLog(place: Place, id: string, bytes: Uint8Array): Promise<string> {
  const file = place.log(id);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes, { mode: 0o600 });
  return file;
}

export const bytesOf = (file: string): Promise<Buffer> => readFile(file);

export function textOf(entry: Entry): string {
  if (entry.type !== 'message') return entry.type;
  const [part] = entry.parts;
  return part?.type === 'text' ? part.text : '';
}

/** What the model and the person are given: the texts of the path. */
export const pathTexts = async (log: SessionLog): Promise<string[]> => (await log.path()).map(textOf);

export const damageOf = (log: SessionLog): string[] => log.damage.map(describeDamage);

export const describeDamage = ({ kind, line }: LogDamage): string => `${kind} in line ${line}`;
