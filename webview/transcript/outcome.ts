/** What became of a tool call, in a few words for its line and in a sentence for its card. */
import { INTERRUPTED_RESULT, NO_RULE_RESULT, READ_ONLY_RESULT } from '../../src/shared/fold/stand-in.js';
import type { ToolCard } from '../../src/shared/fold/types.js';
import { editsOf, firstLine, inputOf, text } from './call-input.js';
import { diffOf } from './hunks.js';

export function outcomeOf(card: ToolCard): string | undefined {
  switch (card.state) {
    case 'pending':
      if (card.decision === 'allow') return 'approved; waits for its turn';
      return card.summary === undefined ? 'waits for its turn' : 'waits for you';
    case 'running':
      return undefined;
    case 'denied':
      return deniedWords(card);
    case 'interrupted':
      return 'interrupted before it ran';
    case 'unknown':
      return card.isLost === true ? 'whether it ran is not known' : 'interrupted; it may have partly run';
    case 'error':
      if (card.result === READ_ONLY_RESULT) return 'not run: read only';
      if (card.result === NO_RULE_RESULT) return 'not run: no rule allows it';
      return exitWords(card) ?? (firstLine(card.result) || 'failed');
    case 'ok':
      return exitWords(card) ?? answerWords(card) ?? changedLines(card);
  }
}

/** For the card that is open, in place of a result that is written to the model; undefined when a tool gave it. */
export function ownSentence(card: ToolCard): string | undefined {
  if (card.result === READ_ONLY_RESULT) {
    return 'Not run: this session is read only. The mode beside the message changes that.';
  }
  if (card.result === NO_RULE_RESULT) {
    return 'Not run: no rule allows it, and in auto mode nobody is asked. The mode beside the message changes that.';
  }
  switch (card.state) {
    case 'denied': {
      if (card.decision === undefined || card.decision === 'allow') return undefined;
      const words = deniedWords(card);
      return words.charAt(0).toUpperCase() + words.slice(1);
    }
    case 'interrupted':
      return 'Interrupted before it ran.';
    case 'unknown': {
      if (card.isLost === true) return 'The end of the file is lost; whether it ran is not known.';
      // What the recovery found out stands behind it.
      const found =
        card.result?.startsWith(INTERRUPTED_RESULT) === true
          ? card.result.slice(INTERRUPTED_RESULT.length)
          : '';
      return `Interrupted while it ran; it may have partly run.${found}`;
    }
    case 'pending':
    case 'running':
    case 'ok':
    case 'error':
      return undefined;
  }
}

function deniedWords({ call, decision, feedback }: ToolCard): string {
  switch (decision) {
    case 'deny':
      if (call.name === 'ask') return 'you gave no answer';
      return feedback === undefined || feedback === '' ? 'you denied this' : `you denied this: ${feedback}`;
    case 'replied':
      return 'not run: you replied instead';
    case 'expired':
      return 'expired; ask again';
    case 'timeout':
      return 'not run: nobody decided in time';
    case 'cancelled':
      return 'not run: stopped';
    case 'abandoned':
      return 'not run: dismissed';
    case 'superseded':
      return 'not run: a later request took its place';
    case 'allow':
    case undefined:
      return 'not run';
  }
}

/** How a command ended, as the last lines of its result say it. */
const ends: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/\[Exit code (-?\d+) after ([^\]]+?)\.\]/, (code, time) => `exit ${code} · ${time}`],
  [/\[The command was ended after ([^\]:]+): its time limit/, (time) => `timed out · ${time}`],
  [
    /\[The command was stopped (?:by the person )?after ([^\],]+?)(?:, before its end)?\.\]/,
    (time) => `stopped · ${time}`,
  ],
  [/\[The command was ended by (\S+) after ([^\]]+?)\.\]/, (signal, time) => `${signal} · ${time}`],
  [/\[The terminal was closed after ([^\]:]+): /, (time) => `terminal closed · ${time}`],
  [/\[The command may still run there after ([^\]:]+): /, (time) => `may still run · ${time}`],
  [/\[The command is over after ([^\]:]+): the shell/, (time) => `exit code unknown · ${time}`],
];
const IN_TERMINAL = "[It ran in the person's terminal";
const END_LENGTH = 1000;

function exitWords(card: ToolCard): string | undefined {
  if (card.call.name === 'subagent' && card.result?.startsWith('[It works in the background,') === true)
    return 'went on in the background';
  if (card.call.name !== 'run') return undefined;
  if (card.result?.includes('[The person lets this go on in the background:') === true) {
    return 'went on in the background';
  }
  const end = card.result?.slice(-END_LENGTH) ?? '';
  for (const [pattern, words] of ends) {
    const match = pattern.exec(end);
    if (match === null) continue;
    const said = words(...match.slice(1));
    return end.includes(IN_TERMINAL) ? `${said} · in your terminal` : said;
  }
  return undefined;
}

/** What the person answered. */
const answerWords = ({ call, result }: ToolCard): string | undefined =>
  call.name === 'ask' && result !== undefined ? `you: ${firstLine(result)}` : undefined;

const countLines = (value: string): number =>
  value === '' ? 0 : value.replace(/\n$/, '').split('\n').length;

/** What became of the file, which its result begins with: where only a part of the edits changed something, or more. */
const CHANGED = /^(?:Created|Changed) .* \((\+\d+ −\d+)\)\./;

function changedLines(card: ToolCard): string | undefined {
  const known = card.call.name === 'edit' ? CHANGED.exec(firstLine(card.result)) : null;
  if (known !== null) return known[1];
  const input = inputOf(card);
  if (card.call.name === 'write') {
    const count = countLines(text(input['content']));
    return `${count} ${count === 1 ? 'line' : 'lines'}`;
  }
  const changes = editsOf(card);
  if (changes.length === 0) return undefined;
  let added = 0;
  let removed = 0;
  for (const { before, after } of changes) {
    const diff = diffOf(before, after, false);
    added += diff?.added ?? countLines(after);
    removed += diff?.removed ?? countLines(before);
  }
  return `+${added} −${removed}`;
}
