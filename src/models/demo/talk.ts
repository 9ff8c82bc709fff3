/** What the demo knows when it is asked: the request it was sent and nothing else. */
import type { ModelMessage, ModelRequest } from '../../ports.js';

/** A tool call of this turn that has its result. */
export interface Done {
  name: string;
  input: unknown;
  content: string;
  isError: boolean;
}

export interface Talk {
  /** What the person asked, trimmed. */
  prompt: string;
  /** Calls since that prompt, in order. */
  done: Done[];
  tools: ReadonlySet<string>;
  /** 1 for the first time this very request is sent, 2 when it is sent again after it failed. */
  attempt: number;
}

/** One thing the demo does in an answer. Calls come last; a failure ends it. */
export type Beat =
  | { do: 'say'; text: string; paceMs?: number }
  | { do: 'call'; name: string; input: object }
  | { do: 'fail'; how: 'rate' | 'drop' };

export type Scene = (talk: Talk) => Beat[];

const textOf = (message: ModelMessage | undefined): string =>
  message?.role === 'user'
    ? message.parts
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('\n')
        .trim()
    : '';

/** A message that only keeps the turn going is not what the person asked. */
const isPrompt = (message: ModelMessage): boolean =>
  message.role === 'user' && textOf(message) !== '' && !/^\W*continue\b.{0,80}$/i.test(textOf(message));

const resultsAfter = (messages: readonly ModelMessage[]): Done[] => {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool_call') : [],
  );
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.parts : []));
  return calls.flatMap((call) => {
    const result = results.find(({ call_id }) => call_id === call.call_id);
    if (!result) return [];
    return [{ name: call.name, input: call.input, content: result.content, isError: result.is_error }];
  });
};

export const readTalk = (request: ModelRequest, attempt: number): Talk => {
  const at = request.messages.findLastIndex(isPrompt);
  return {
    prompt: textOf(request.messages[at]),
    done: resultsAfter(request.messages.slice(at + 1)),
    tools: new Set(request.tools.map(({ name }) => name)),
    attempt,
  };
};

export const say = (text: string, paceMs?: number): Beat => ({
  do: 'say',
  text,
  ...(paceMs !== undefined && { paceMs }),
});

export const call = (name: string, input: object): Beat => ({ do: 'call', name, input });

/** Stands at the end of a conversation's first answer. */
export const label =
  "*This is Bough's built-in demo, a script and not a language model. To connect a real one, run “Bough: Select Model…”, " +
  'or add a provider to the setting `bough.providers` and run “Bough: Set API Key…”.*';

/** A whole answer, clearly labelled. */
export const answer = (...paragraphs: string[]): Beat[] => [say([...paragraphs, label].join('\n\n'))];

/** The first line of what a tool said, short enough for a sentence. */
export const gist = (content: string): string => {
  const line = content.trim().split('\n', 1)[0] ?? '';
  return line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line;
};
