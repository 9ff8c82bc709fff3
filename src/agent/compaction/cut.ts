/**
 * Where a conversation is cut for a compaction: what is summarised and what is kept as it is. Pure. Never between a call
 * and its result; a turn that is cut in two has its beginning summarised apart, so that its task stays clear.
 */
import type { Compaction, Message } from '../../shared/entry.js';
import { estimateTokens } from '../context/tokens.js';
import { tellPath, type Line, type Said } from '../context/select.js';

export interface Cut {
  /** The summary that is there already: the new one carries it on. */
  previous: Compaction | null;
  /** Whole turns before the kept part, from where the last compaction's kept part began. */
  older: Said[];
  /** The beginning of the turn that the cut goes through; empty when it falls between turns. */
  begun: Said[];
  first_kept_entry_id: string;
}

/** `keepTokens`: about how much of the end stays as it is. null: there is nothing to summarise. */
export function cutLine(line: Line, keepTokens: number): Cut | null {
  const { compacted, said } = tellPath(line);
  const place = placeOfCut(said, keepTokens);
  if (place === null) return null;
  const prompt = said.slice(0, place + 1).findLastIndex(isPrompt);
  // A prompt alone is no beginning worth a summary: it stays with its answer.
  const isAlone = prompt !== -1 && prompt === place - 1;
  if (isAlone && !said.slice(0, prompt).some(({ kind }) => kind !== 'skill')) return null;
  const at = isAlone ? prompt : place;
  const split = prompt === -1 ? at : prompt;
  const kept = said[at];
  if (kept?.kind !== 'message') return null;
  return {
    previous: compacted,
    older: said.slice(0, split).filter(({ kind }) => kind !== 'skill'),
    begun: said.slice(split, at).filter(({ kind }) => kind !== 'skill'),
    first_kept_entry_id: kept.entry.id,
  };
}

/** What a turn begins with: what the person adds while it runs belongs to it. */
const isPrompt = (said: Said): boolean =>
  said.kind === 'message' &&
  said.entry.role === 'user' &&
  said.entry.origin !== 'steer' &&
  (said.entry.origin !== 'continuation' || said.entry.goal_id !== undefined);

/** A message that a kept part may begin with: a result belongs to the call before it. */
const isStart = (said: Said | undefined): boolean =>
  said?.kind === 'message' && (said.entry.role === 'user' || said.entry.role === 'assistant');

function placeOfCut(said: readonly Said[], keepTokens: number): number | null {
  let at = said.length;
  for (let tokens = 0; at > 0; at--) {
    tokens += tokensOf(said[at - 1]);
    if (tokens > keepTokens) break;
  }
  const first = said.findIndex(({ kind }) => kind !== 'skill');
  for (let index = at; index < said.length; index++) if (index > first && isStart(said[index])) return index;
  // The last exchange alone is longer than what is to be kept: it is kept all the same.
  for (let index = said.length - 1; index > first; index--) if (isStart(said[index])) return index;
  return null;
}

function tokensOf(said: Said | undefined): number {
  switch (said?.kind) {
    case undefined:
      return 0;
    case 'summary':
      return estimateTokens(said.text);
    case 'skill':
      return estimateTokens(said.entry.body);
    case 'message':
      return estimateTokens(textOf(said.entry));
  }
}

function textOf({ parts }: Message): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case 'text':
        case 'reasoning':
          return part.text;
        case 'tool_call':
          return part.name + JSON.stringify(part.input ?? null);
        case 'tool_result':
          return part.content;
        case 'image':
        case 'file':
          return part.name;
      }
    })
    .join('\n');
}
