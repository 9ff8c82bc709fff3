/**
 * What a running call prints, in the stream journal at most a second behind: a process that dies does not take it along. A
 * long output keeps its beginning and its end. A last word that is not whole is held back, so that no key is kept in parts.
 */
import { isBoughError } from '../shared/failure.js';
import { settleLines } from '../shared/styled-text.js';
import { headOf, tailOf } from './context/clean.js';
import type { Core } from './core.js';

/** Characters that are written as they come; beyond them the file is written anew, with what is kept. */
const WHOLE_CHARS = 64_000;
const KEPT_CHARS = 16_000;
const EVERY_MS = 1_000;
/** What has no end this long is no word. */
const WORD_CHARS = 1_000;

export interface OutputJournal {
  add(chunk: string): void;
  /** The journal may belong to something else now. */
  leave(): void;
}

export interface OutputOf {
  call_id: string;
  turn_id: string;
  step: number;
  attempt_id: string;
}

export function journalOutput(core: Core, about: OutputOf): OutputJournal {
  const { journal, parts } = core;
  const head = { ...about, parent_id: core.log.head };
  let state: 'new' | 'written' | 'left' = 'new';
  let written = 0;
  let first = '';
  let last = '';
  let held = '';
  let timer: { dispose(): void } | null = null;
  const leave = (): void => {
    state = 'left';
    timer?.dispose();
  };
  const begin = (printed?: string): void => {
    journal.begin(printed === undefined ? head : { ...head, printed }).catch((error: unknown) => {
      parts.log(
        'warn',
        `what a command prints is not kept: ${isBoughError(error) ? error.message : String(error)}`,
      );
      leave();
    });
  };
  const anew = (): void => {
    timer = null;
    if (state !== 'left') begin(`${first}\n[… the middle is left out …]\n${last}`);
  };
  const write = (text: string): void => {
    if (first.length < KEPT_CHARS) first = headOf(first + text, KEPT_CHARS);
    last = tailOf(last + text, KEPT_CHARS);
    written += text.length;
    if (state === 'new') begin();
    state = 'written';
    if (written <= WHOLE_CHARS) journal.add({ text });
    else timer ??= parts.clock.after(EVERY_MS, anew);
  };
  return {
    add: (chunk) => {
      if (state === 'left') return;
      held += chunk;
      const end =
        held.length > WORD_CHARS
          ? held.length
          : 1 + Math.max(...[' ', '\n', '\t', '\r'].map((at) => held.lastIndexOf(at)));
      if (end === 0) return;
      const whole = held.slice(0, end);
      held = held.slice(end);
      write(parts.redact.tokens(whole));
    },
    leave,
  };
}

/** What a call that never gave its result had printed before its process died; '' when nothing is known of it. */
export async function printedBy(core: Core, call_id: string): Promise<string> {
  const left = await core.log.journal.output();
  return left?.call_id === call_id ? settleLines(left.text).text.replaceAll('\r', '') : '';
}
