/** A tool call as a sentence: icon, verb, object, outcome. */
import { INTERRUPTED_RESULT, NO_RULE_RESULT, READ_ONLY_RESULT } from '../../src/shared/fold/stand-in.js';
import type { CardState, ToolCard } from '../../src/shared/fold/types.js';
import { diffOf } from './hunks.js';

export interface Sentence {
  icon: string;
  verb: string;
  object: string;
  /** The file the object names, to open it. */
  path?: string;
  line?: number;
  outcome?: string;
}

type Input = Readonly<Record<string, unknown>>;

interface ToolWords {
  icon: string;
  /** As a request, while it runs, when it is done. */
  verbs: readonly [string, string, string];
  object: (input: Input) => string;
  opens?: boolean;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const tools: Readonly<Record<string, ToolWords>> = {
  list: {
    icon: 'folder-opened',
    verbs: ['List', 'Listing', 'Listed'],
    object: ({ path }) => folderName(path),
  },
  read: {
    icon: 'file',
    verbs: ['Read', 'Reading', 'Read'],
    object: (input) => text(input['path']) + lines(input),
    opens: true,
  },
  search: { icon: 'search', verbs: ['Search', 'Searching', 'Searched'], object: searched },
  glob: {
    icon: 'files',
    verbs: ['Find', 'Finding', 'Found'],
    object: ({ pattern, path }) => `files ${text(pattern)}${placeIn(path)}`,
  },
  symbols: {
    icon: 'symbol-class',
    verbs: ['Look up', 'Looking up', 'Looked up'],
    object: ({ path, query }) => (text(path) === '' ? `symbol “${text(query)}”` : `symbols of ${text(path)}`),
    opens: true,
  },
  references: {
    icon: 'references',
    verbs: ['Look up', 'Looking up', 'Looked up'],
    object: ({ path, symbol, line }) =>
      `uses of ${text(symbol) || `line ${typeof line === 'number' ? line : '?'}`} of ${text(path)}`,
    opens: true,
  },
  diagnostics: {
    icon: 'warning',
    verbs: ['Check', 'Checking', 'Checked'],
    object: ({ path }) => (text(path) === '' ? 'the problems' : `the problems of ${text(path)}`),
    opens: true,
  },
  fetch: { icon: 'globe', verbs: ['Fetch', 'Fetching', 'Fetched'], object: ({ url }) => text(url) },
  ask: {
    icon: 'question',
    verbs: ['Ask', 'Asking', 'Asked'],
    object: ({ question }) => `“${firstLine(text(question))}”`,
  },
  background: {
    icon: 'server-process',
    verbs: ['Look after', 'Looking after', 'Looked after'],
    object: () => 'what goes on in the background',
  },
  read_result: { icon: 'file', verbs: ['Read', 'Reading', 'Read'], object: () => 'on in a long result' },
  edit: { icon: 'edit', verbs: ['Edit', 'Editing', 'Edited'], object: ({ path }) => text(path), opens: true },
  write: {
    icon: 'new-file',
    verbs: ['Write', 'Writing', 'Wrote'],
    object: ({ path }) => text(path),
    opens: true,
  },
  run: { icon: 'terminal', verbs: ['Run', 'Running', 'Ran'], object: ({ command }) => text(command) },
  skill: {
    icon: 'book',
    verbs: ['Load', 'Loading', 'Loaded'],
    object: ({ name, file }) =>
      text(file) === '' ? `the skill ${text(name)}` : `${text(file)} of the skill ${text(name)}`,
  },
  todo: { icon: 'checklist', verbs: ['Set', 'Setting', 'Set'], object: () => 'the to-do list' },
  subagent: {
    icon: 'organization',
    verbs: ['Give', 'Waiting for', 'Gave'],
    object: ({ task, agent }) => `${text(agent) || 'a subagent'}: ${firstLine(text(task))}`,
  },
  finish: {
    icon: 'check-all',
    verbs: ['Finish', 'Finishing', 'Finished'],
    object: ({ status }) => (status === 'blocked' ? 'the work: blocked' : 'the work'),
  },
};

const folderName = (path: unknown): string => {
  const name = text(path);
  return name === '' || name === '.' ? 'the folder' : name;
};

function lines({ start_line: start, end_line: end }: Input): string {
  if (typeof start !== 'number' && typeof end !== 'number') return '';
  return ` ${typeof start === 'number' ? start : 1}–${typeof end === 'number' ? end : 'end'}`;
}

const placeIn = (path: unknown): string => (text(path) === '' ? '' : ` in ${text(path)}`);

function searched({ pattern, path }: Input): string {
  return `“${text(pattern)}”${placeIn(path)}`;
}

const isInput = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What ran, or is to run: as the person changed it, if they did. */
export function inputOf({ call, edited_input }: ToolCard): Input {
  if (isInput(edited_input)) return edited_input;
  return isInput(call.input) ? call.input : {};
}

export function sentenceOf(card: ToolCard): Sentence {
  const { name } = card.call;
  const input = inputOf(card);
  const words = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const outcome = outcomeOf(card);
  const end = outcome === undefined ? {} : { outcome };
  if (words === undefined) {
    return { icon: 'tools', verb: verbIn(card.state, ['Call', 'Calling', 'Called']), object: name, ...end };
  }
  const path = text(input['path']);
  const start = input['start_line'];
  return {
    icon: words.icon,
    verb: verbIn(card.state, words.verbs),
    object: words.object(input),
    ...(words.opens === true && path !== '' ? { path } : {}),
    ...(typeof start === 'number' ? { line: start } : {}),
    ...end,
  };
}

function verbIn(state: CardState, [request, running, done]: ToolWords['verbs']): string {
  switch (state) {
    case 'ok':
      return done;
    case 'running':
      return running;
    case 'pending':
    case 'denied':
    case 'interrupted':
    case 'unknown':
    case 'error':
      return request;
  }
}

const firstLine = (value: string | undefined): string => /^[^\n]*/.exec(value?.trim() ?? '')?.[0] ?? '';

function outcomeOf(card: ToolCard): string | undefined {
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
      return 'interrupted; it may have partly run';
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

function changedLines(card: ToolCard): string | undefined {
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

/** The pieces an edit replaces, as the call names them. */
export function editsOf(card: ToolCard): { before: string; after: string }[] {
  const edits = inputOf(card)['edits'];
  if (card.call.name !== 'edit' || !Array.isArray(edits)) return [];
  return edits
    .filter(isInput)
    .map((edit) => ({ before: text(edit['old_text']), after: text(edit['new_text']) }));
}
