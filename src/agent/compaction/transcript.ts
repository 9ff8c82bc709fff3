/**
 * A conversation as text, for a model that is to summarise it and not to go on with it. Long results and inputs keep head
 * and tail, marked; reasoning is left out. Pure.
 */
import type { Message, Part, TextPart } from '../../shared/entry.js';
import { shorten } from '../context/fit.js';
import type { Said } from '../context/select.js';
import { estimateTokens } from '../context/tokens.js';
import type { ModelInfo } from '../../ports.js';

/** Characters of a result, and of a call's arguments, that a summary is made from; tried in turn until it fits. */
const RESULT_CHARS = [4_000, 1_200, 300] as const;

/** The transcript as long as the model can take it: results shorter first, then its middle left out, marked. */
export function fitting(said: readonly Said[], { contextWindow }: ModelInfo, previous = ''): string {
  const room =
    contextWindow === undefined ? Infinity : contextWindow * 0.7 - estimateTokens(previous) - 1_000;
  let transcript = '';
  for (const chars of RESULT_CHARS) {
    transcript = transcriptOf(said, chars);
    if (estimateTokens(transcript) <= room) return transcript;
  }
  const share = Math.max(room, 200) / estimateTokens(transcript);
  return shorten(transcript, Math.floor(transcript.length * share));
}

export function transcriptOf(said: readonly Said[], resultChars: number): string {
  return said
    .flatMap((one) =>
      one.kind === 'message' ? linesOf(one.entry, resultChars) : one.kind === 'summary' ? [one.text] : [],
    )
    .join('\n\n');
}

function linesOf(message: Message, resultChars: number): string[] {
  return message.parts.flatMap((part) => {
    const line = lineOf(message.role, part, resultChars);
    return line === '' ? [] : [line.toWellFormed()];
  });
}

/** Of a text that was too long for its line its beginning stands in. */
const textOf = (part: TextPart): string => part.text || (part.preview ?? '');

const speakers = { user: 'User', assistant: 'Assistant', tool: 'Tool', system: 'System' } as const;

function lineOf(role: Message['role'], part: Part, resultChars: number): string {
  switch (part.type) {
    case 'text':
      return textOf(part).trim() === '' ? '' : `[${speakers[role]}]: ${textOf(part)}`;
    case 'reasoning':
      return '';
    case 'tool_call':
      return `[Assistant calls ${part.name}]: ${shorten(JSON.stringify(part.input ?? null), resultChars)}`;
    case 'tool_result':
      return `[${part.is_error ? 'Error' : 'Result'} of ${part.name}]: ${shorten(part.content, resultChars)}`;
    case 'image':
    case 'file':
      return `[${speakers[role]} attached ${part.type} ${part.name}]`;
  }
}

export interface TouchedFiles {
  read: string[];
  modified: string[];
}

/** Files that the calls named, carried on from a summary before; what was changed is not listed as read too. */
export function touchedFiles(
  said: readonly Said[],
  before: {
    read_files?: readonly string[] | undefined;
    modified_files?: readonly string[] | undefined;
  } | null,
): TouchedFiles {
  const read = new Set(before?.read_files ?? []);
  const modified = new Set(before?.modified_files ?? []);
  const failed = new Set(
    said.flatMap((one) =>
      one.kind === 'message'
        ? one.entry.parts.flatMap((part) =>
            part.type === 'tool_result' && part.is_error ? [part.call_id] : [],
          )
        : [],
    ),
  );
  for (const one of said) {
    if (one.kind !== 'message') continue;
    for (const part of one.entry.parts) {
      if (part.type !== 'tool_call' || failed.has(part.call_id)) continue;
      const path = pathOf(part.input);
      if (path === undefined) continue;
      if (part.name === 'read') read.add(path);
      else if (part.name === 'edit' || part.name === 'write') modified.add(path);
    }
  }
  return { read: [...read].filter((path) => !modified.has(path)), modified: [...modified] };
}

function pathOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('path' in input)) return undefined;
  return typeof input.path === 'string' ? input.path : undefined;
}
