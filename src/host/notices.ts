/**
 * What a session has to say about itself that lasts: it is read-only, stale, damaged, was not saved, its model cannot be
 * had. Each is one sentence with the buttons that help.
 */
import type { Access, Holder, LogDamage } from '../log/store.js';
import type { Failure, FailureAction } from '../shared/failure.js';
import type { NoticeView, UiCommand } from '../shared/protocol.js';
import { isGone } from './sessions/gone.js';

type Fault = Pick<LogDamage, 'line' | 'reason'> & { kind?: string };

export interface NoticeFacts {
  access: Access;
  damage: readonly LogDamage[];
  /** What is damaged in the file now and was not when it was read: not in what is shown. */
  found: readonly Fault[];
  /** The other window that runs this session now. */
  holder: Holder | null;
  /** How many entries that were shown here are not in the file any more. */
  lost: number;
  /** A prompt was not sent because another window went on first. */
  isOvertaken: boolean;
  /** The last write that failed, until one succeeds. */
  notSaved: Failure | null;
  /** Why the session's model cannot be had. */
  model: Failure | null;
  /** Lasting sentences about the settings (a key that was moved or could not be). */
  settings: readonly NoticeView[];
}

export function noticesOf(facts: NoticeFacts): NoticeView[] {
  return [
    ...(facts.isOvertaken ? [overtakenNotice(facts.access)] : accessNotices(facts.access)),
    ...(facts.holder ? [holderNotice(facts.holder)] : []),
    ...(facts.lost > 0 ? [lostNotice(facts.lost)] : []),
    ...(facts.found.length > 0 ? [foundNotice(facts.found)] : []),
    ...damageNotices(facts.damage),
    ...(facts.notSaved ? [notSavedNotice(facts.notSaved)] : []),
    ...(facts.model ? [configNotice(facts.model)] : []),
    ...facts.settings,
  ];
}

type Button = NoticeView['actions'][number];
const reopenButton: Button = { label: 'Reopen', command: { type: 'reopen' } };
const exportButton: Button = { label: 'Export…', command: { type: 'export_session' } };
const continueButton: Button = { label: 'Continue as a Copy', command: { type: 'continue_copy' } };
const logButton: Button = { label: 'Show Log', command: { type: 'show_log' } };

function accessNotices(access: Access): NoticeView[] {
  switch (access.mode) {
    case 'write':
      return [];
    case 'read-only':
      return [
        {
          kind: access.reason === 'newer' ? 'newer' : 'read-only',
          message: access.message,
          actions: [...wayOut(access.reason), { label: 'New Session', command: { type: 'new_session' } }],
        },
      ];
    case 'stale':
      return [
        {
          kind: 'stale',
          message: access.message,
          ...(isGone(access)
            ? {
                message: `${access.message} What is shown was read before: export it, or put the file back and reopen the session.`,
                actions: [exportButton, reopenButton],
              }
            : { actions: [reopenButton] }),
        },
      ];
    case 'poisoned':
      return [
        {
          kind: 'conflict',
          message: access.message,
          actions: [reopenButton, logButton],
        },
      ];
  }
}

/** What makes a session that is read-only writable again, or another one of it. */
function wayOut(reason: (Access & { mode: 'read-only' })['reason']): Button[] {
  switch (reason) {
    case 'unreadable':
      return [reopenButton, logButton];
    case 'missing':
      return [reopenButton, { label: 'Delete from List', command: { type: 'delete_session' } }];
    case 'archived':
      return [{ label: 'Unarchive', command: { type: 'unarchive_session' } }];
    case 'version-3':
      return [continueButton];
    case 'elsewhere':
      return [continueButton, { label: 'Fork…', command: { type: 'fork_session' } }];
    case 'newer':
      return [];
  }
}

function holderNotice({ window, pid, host, since }: Holder): NoticeView {
  const at = new Date(since);
  const time = Number.isNaN(at.getTime()) ? since : at.toLocaleTimeString();
  return {
    kind: 'read-only',
    message: `Another window works (process ${pid}).`,
    detail: `It is “${window}” on ${host}, since ${time}. What is said there appears here once it is complete. You can go on here as soon as it is done, stopped or that window is closed; until then, a fork goes on by itself.`,
    isBrief: true,
    actions: [{ label: 'Fork…', command: { type: 'fork_session' } }],
  };
}

function overtakenNotice(access: Access): NoticeView {
  return {
    kind: 'conflict',
    message:
      'Another window went on with this session before your message was sent. Your text is still in the composer.',
    actions: [
      { label: 'Keep as a Branch', command: { type: 'keep_as_branch' } },
      ...(access.mode === 'write' ? [] : [reopenButton]),
    ],
  };
}

function lostNotice(lost: number): NoticeView {
  const is = lost === 1 ? 'is' : 'are';
  return {
    kind: 'damaged',
    message: `The file of this session became shorter: ${count(lost, 'entry', 'entries')} that stood in it ${is} not there any more. Another program changed it, or the disk did not keep what it took. What is there now is shown.`,
    actions: reveal,
  };
}

function foundNotice(found: readonly Fault[]): NoticeView {
  if (found.some(({ kind }) => kind === 'empty'))
    return {
      kind: 'damaged',
      message:
        'The file of this session was emptied after it was opened. What is shown was read before; export it or copy what you need before you reopen it.',
      actions: [...reveal, reopenButton],
    };
  const lines = new Set(found.map(({ line }) => line)).size;
  const are = lines === 1 ? 'is' : 'are';
  return {
    kind: 'damaged',
    message: `The file of this session was damaged after it was opened: ${count(lines, 'line')} ${are} not in order any more. What is shown was read before; export it or copy what you need before you reopen it.`,
    detail: places(found),
    actions: [...reveal, reopenButton],
  };
}

function damageNotices(damage: readonly LogDamage[]): NoticeView[] {
  const recovered = damage.filter(({ kind }) => kind === 'missing-parent');
  const damaged = damage.filter(({ kind }) => kind !== 'missing-parent');
  const notices: NoticeView[] = [];
  if (damaged.length > 0)
    notices.push({
      kind: 'damaged',
      message: damageSentence(damaged),
      detail: places(damaged),
      actions: reveal,
    });
  if (recovered.length > 0) {
    const message = `${count(recovered.length, 'message')} lost what came before; ${recovered.length === 1 ? 'it is' : 'they are'} shown where ${recovered.length === 1 ? 'it' : 'they'} may belong.`;
    notices.push({ kind: 'recovered', message, detail: places(recovered), actions: reveal });
  }
  return notices;
}

const reveal: NoticeView['actions'] = [{ label: 'Reveal Log', command: { type: 'reveal_log' } }];

function damageSentence(damage: readonly LogDamage[]): string {
  const nothing = nothingSentence(damage);
  if (nothing !== undefined) return nothing;
  const sentences = lineSentences(damage);
  for (const { kind, reason, moved } of damage) {
    if (kind === 'torn-tail')
      sentences.push(
        moved
          ? 'The last line of this session was cut off; it was set aside, and what is new stands behind what is whole.'
          : 'The last line of this session was cut off; it will be set aside before anything new is written.',
      );
    if (kind === 'header')
      sentences.push("The session's first line could not be read; it was rebuilt from the others.");
    if (kind === 'duplicate-id' || kind === 'cycle') sentences.push(sentence(reason));
  }
  return [...new Set(sentences)].slice(0, 3).join(' ');
}

/** Where not one entry could be read. */
function nothingSentence(damage: readonly LogDamage[]): string | undefined {
  const all = damage.find(({ isAll }) => isAll);
  if (all === undefined) return undefined;
  if (all.kind === 'empty')
    return 'The file of this session is empty, and nothing of it could be read. What you send now begins it anew.';
  const stays = damage.some(({ kind }) => kind !== 'torn-tail');
  const then = all.moved
    ? 'What stood in its file was set aside beside it.'
    : stays
      ? 'What stands in its file stays there; what you send now is written behind it.'
      : 'What stands in its file will be set aside beside it before anything new is written.';
  return `Nothing of this session could be read. ${then}`;
}

/** A line may have several faults; it is one line all the same. */
function lineSentences(damage: readonly LogDamage[]): string[] {
  const lines = damage.filter(({ kind }) => kind === 'unreadable-line' || kind === 'too-large');
  const countLines = (faults: readonly LogDamage[]) => new Set(faults.map(({ line }) => line)).size;
  const kept = countLines(lines.filter((fault) => fault.kept));
  const skipped = countLines(lines.filter((fault) => !fault.kept));
  const were = (number: number) => (number === 1 ? 'was' : 'were');
  const parts = [
    ...(skipped > 0 ? [`${were(skipped)} skipped`] : []),
    ...(kept > 0 ? [`${were(kept)} read as far as possible`] : []),
  ];
  const [first, second] = parts;
  if (first === undefined) return [];
  const begin = `${count(skipped || kept, 'damaged line')} of this session ${first}`;
  return [`${begin}${second === undefined ? '' : `, ${kept} ${second}`}; everything else is here.`];
}

function places(damage: readonly Fault[]): string {
  const inLines = damage.filter(({ kind }) => kind !== 'empty');
  const shown = inLines.slice(0, LISTED).map(({ line, reason }) => `Line ${line}: ${oneLine(reason)}`);
  return [
    ...shown,
    ...(inLines.length > shown.length ? [`and ${inLines.length - shown.length} more`] : []),
  ].join('\n');
}

const LISTED = 5;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function notSavedNotice(failure: Failure): NoticeView {
  return {
    kind: 'not-saved',
    message: failure.message,
    ...(failure.detail === undefined ? {} : { detail: failure.detail }),
    actions: [{ label: 'Save Again', command: { type: 'save_again' } }, logButton],
  };
}

export function configNotice(failure: Failure): NoticeView {
  const button = failure.action === undefined ? undefined : actionButton(failure.action);
  return {
    kind: 'config',
    message: failure.message,
    ...(failure.detail === undefined ? {} : { detail: failure.detail }),
    actions: button ? [button] : [],
  };
}

/** The button that opens the place where a failure is mended. */
export function actionButton(action: FailureAction): { label: string; command: UiCommand } {
  switch (action) {
    case 'set-key':
      return { label: 'Set API Key…', command: { type: 'set_key' } };
    case 'open-settings':
      return { label: 'Open Settings', command: { type: 'open_settings', query: 'bough.providers' } };
    case 'select-model':
      return { label: 'Select Model…', command: { type: 'select_model' } };
    case 'show-log':
      return { label: 'Show Log', command: { type: 'show_log' } };
    case 'reopen':
      return { label: 'Reopen', command: { type: 'reopen' } };
    case 'save-again':
      return { label: 'Save Again', command: { type: 'save_again' } };
  }
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
