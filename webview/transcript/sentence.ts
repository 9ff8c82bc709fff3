/** A tool call as a sentence: icon, verb, object, outcome. */
import type { CardState, ToolCard } from '../../src/shared/fold/types.js';
import { firstLine, inputOf, text, type Input } from './call-input.js';
import { outcomeOf } from './outcome.js';
import { serverToolOf } from './server-tool.js';

export interface Sentence {
  icon: string;
  verb: string;
  object: string;
  /** The file the object names, to open it. */
  path?: string;
  line?: number;
  outcome?: string;
}

interface ToolWords {
  icon: string;
  /** As a request, while it runs, when it is done. */
  verbs: readonly [string, string, string];
  object: (input: Input) => string;
  opens?: boolean;
}

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

export function sentenceOf(card: ToolCard): Sentence {
  const { name } = card.call;
  const input = inputOf(card);
  const words = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const outcome = outcomeOf(card);
  const end = outcome === undefined ? {} : { outcome };
  if (words === undefined) {
    const of = serverToolOf(name, card.summary);
    const object = of === undefined ? name : `${of.tool} of the MCP server "${of.server}"`;
    return { icon: 'tools', verb: verbIn(card.state, ['Call', 'Calling', 'Called']), object, ...end };
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
