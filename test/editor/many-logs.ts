// Logs of a size that no scene could say by itself, written as they lie on disk with nothing of ours.
import { closeSync, mkdirSync, openSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';

interface Said {
  id: string;
  parent: string | null;
  role: 'user' | 'assistant';
  text: string;
  /** Seconds since 1970: lists go by when the last was said. */
  at: number;
}

const lineOf = ({ id, parent, role, text, at }: Said): string =>
  `${JSON.stringify({
    type: 'message',
    id,
    parent_id: parent,
    timestamp: new Date(at * 1_000).toISOString(),
    role,
    parts: [{ type: 'text', text }],
    ...(role === 'user' ? { origin: 'person' } : { model: 'model-1', provider: 'scripted' }),
  })}\n`;

const headerOf = (id: string): string =>
  `${JSON.stringify({ type: 'session', version: 4, id, timestamp: '2026-01-01T00:00:00.000Z' })}\n`;

/** About `bytes` in lines of twenty kilobytes, and one line of half of it before the last three. */
export function writeBigLog(folder: string, id: string, bytes: number): string {
  const file = path.join(folder, `${id}.jsonl`);
  const log = openSync(file, 'w');
  writeSync(log, headerOf(id));
  const filling = 'A rather long answer. '.repeat(900);
  let parent: string | null = null;
  let count = 0;
  const say = (role: Said['role'], text: string): void => {
    const next = (++count).toString(16).padStart(16, '0');
    writeSync(log, lineOf({ id: next, parent, role, text, at: Date.now() / 1_000 }));
    parent = next;
  };
  say('user', 'The big one');
  for (let written = 0; written < bytes / 2; written += filling.length)
    say(count % 2 ? 'assistant' : 'user', filling);
  say('assistant', `The longest line begins. ${'x'.repeat(bytes / 2)}`);
  say('user', 'Are you done?');
  say('assistant', 'The last words of the big one.');
  closeSync(log);
  return file;
}

/** `count` logs of a few lines, the first of them the newest; of every 200th a line in the middle is garbled. */
export function writeManyLogs(folder: string, count: number, newest: number): void {
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index++) {
    const id = `many-${String(index)}`;
    const name = (line: number): string =>
      `${index.toString(16).padStart(12, '0')}${line.toString(16).padStart(4, '0')}`;
    const at = newest - index * 60;
    const said = [1, 2, 3, 4].map((line) =>
      lineOf({
        at,
        id: name(line),
        parent: line === 1 ? null : name(line - 1),
        role: line % 2 === 1 ? 'user' : 'assistant',
        text: line === 1 ? `Session ${String(index)}` : 'Some words. '.repeat(20),
      }),
    );
    if (index % 200 === 0) said.splice(2, 0, '{"type":"message","id":"torn\n');
    const file = path.join(folder, `${id}.jsonl`);
    writeFileSync(file, `${headerOf(id)}${said.join('')}`);
    utimesSync(file, at, at);
  }
}

/** A log of `lines` prompts without anything in common: `Way 0`, `Way 1`, … each with an answer. */
export function writeBranchedLog(folder: string, id: string, lines: number): void {
  const at = Date.now() / 1_000;
  const name = (line: number, role: number): string =>
    `${line.toString(16).padStart(12, '0')}${role.toString(16).padStart(4, '0')}`;
  const said = Array.from({ length: lines }, (_, line) => [
    lineOf({ at, id: name(line, 1), parent: null, role: 'user', text: `Way ${String(line)}` }),
    lineOf({ at, id: name(line, 2), parent: name(line, 1), role: 'assistant', text: `End ${String(line)}` }),
  ]);
  writeFileSync(path.join(folder, `${id}.jsonl`), `${headerOf(id)}${said.flat().join('')}`);
}

/** One line of `count` messages in turn: `Prompt 1`, `Answer 2`, … */
export function writeLongLog(folder: string, id: string, count: number): void {
  const at = Date.now() / 1_000;
  const name = (line: number): string => line.toString(16).padStart(16, '0');
  const said = Array.from({ length: count }, (_, index) => {
    const line = index + 1;
    const isPrompt = line % 2 === 1;
    return lineOf({
      at,
      id: name(line),
      parent: line === 1 ? null : name(line - 1),
      role: isPrompt ? 'user' : 'assistant',
      text: isPrompt ? `Prompt ${line}` : `Answer ${line}\n\n${'Some words of it. '.repeat(20)}`,
    });
  });
  writeFileSync(path.join(folder, `${id}.jsonl`), `${headerOf(id)}${said.join('')}`);
}
