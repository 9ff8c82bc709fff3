/**
 * The replies of `reply`, in every protocol: `replies.messages.text('Hel', 'lo')`. What happens on the connection is the
 * same for all; what the frames look like is the protocol's.
 */
import { chatWire } from './chat-wire.js';
import { geminiWire } from './gemini-wire.js';
import { messagesWire } from './messages-wire.js';
import {
  gate,
  reply,
  type Gate,
  type Reply,
  type ScriptedCall,
  type ScriptedUsage,
  type Step,
} from './reply.js';
import { responsesWire } from './responses-wire.js';
import type { Content, End, Piece, ScriptedError, Told, Wire } from './wire.js';

const overloaded: ScriptedError = { message: 'Overloaded', type: 'overloaded_error' };

const callsAfter = (calls: readonly ScriptedCall[], text: string | undefined): Content[] => [
  ...(text === undefined ? [] : [{ text: [text] }]),
  { calls },
];

const repliesOf = (wire: Wire) => {
  const told = (what: Told, ...more: Step[]): Reply => reply.stream(wire.steps(what), more);
  const open = (pieces: readonly Piece[]): Told => ({ content: [{ text: pieces }], isOpen: true });
  const { status, reset, silent, html, empty, chopped } = reply;
  return {
    wire,
    /** Anything the protocol can say. */
    told,
    status,
    reset,
    silent,
    html,
    empty,
    chopped,
    text: (...pieces: string[]) => told({ content: [{ text: pieces }], end: { reason: 'stop' } }),
    reasoning: (thoughts: string[], pieces: string[], signature?: string) =>
      told({
        content: [{ reasoning: thoughts, ...(signature !== undefined && { signature }) }, { text: pieces }],
        end: { reason: 'stop' },
      }),
    calls: (
      calls: readonly ScriptedCall[],
      options: { text?: string; finish?: End; usage?: ScriptedUsage | null } = {},
    ) =>
      told({
        content: callsAfter(calls, options.text),
        end: {
          reason: options.finish ?? 'tool_calls',
          ...(options.usage !== undefined && { usage: options.usage }),
        },
      }),
    /** An error as the protocol words it. */
    error: (code: number, error: ScriptedError, headers: Record<string, string> = {}) =>
      status(code, headers, wire.errorBody(code, error)),
    /** These deltas, then the connection breaks. */
    cut: (pieces: string[]) => told(open(pieces), { do: 'break' }),
    /** The connection breaks within the arguments of this call. */
    cutCall: (call: ScriptedCall) => told({ content: [{ calls: [call] }], isOpen: true }, { do: 'break' }),
    /** These deltas, then an orderly end of the body. */
    unfinished: (pieces: string[]) => told(open(pieces)),
    stall: (pieces: string[]) => told(open(pieces), { do: 'stall' }),
    /** Nothing but keepalives, then silence or the end. */
    pings: (n: number, then: 'stall' | 'end') =>
      reply.stream(
        Array.from({ length: n }, () => wire.ping()),
        then === 'stall' ? [{ do: 'stall' }] : [],
      ),
    hold: (before: string[], after: string[] = []): Reply & Gate => {
      const here = gate();
      const pieces: Piece[] = [...before, { do: 'gate', gate: here }, ...after];
      return { ...told({ content: [{ text: pieces }], end: { reason: 'stop' } }), ...here };
    },
    errorInStream: (pieces: string[], error: ScriptedError = overloaded) =>
      told(open(pieces), wire.errorFrame(error)),
    broken: (pieces: string[]) => told(open(pieces), wire.brokenFrame()),
    /** A whole answer, then whatever else. */
    followed: (pieces: string[], ...more: Step[]) =>
      told({ content: [{ text: pieces }], end: { reason: 'stop' } }, ...more),
  };
};

export const replies = {
  chat: repliesOf(chatWire),
  responses: repliesOf(responsesWire),
  messages: repliesOf(messagesWire),
  gemini: repliesOf(geminiWire),
} as const;

export type Protocol = keyof typeof replies;
