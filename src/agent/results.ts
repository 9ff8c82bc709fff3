/** Results that were too long to be told whole, read again piece by piece. Only those of this session. */
import type { Outcome, ResultPiece } from '../ports.js';
import type { ToolResultPart } from '../shared/entry.js';
import { isBoughError, toolFailure } from '../shared/failure.js';
import { charsOf } from './context/results.js';
import type { Core } from './core.js';

/** A piece of the result of this call, from `offset` on; offsets and lengths count code points. */
export async function readResult(
  core: Core,
  id: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<Outcome<ResultPiece>> {
  const part = await findResult(core, id);
  if (part === undefined) {
    return toolFailure(
      'no-result',
      `There is no result with id "${id}" in this session. Use the id that stands in the mark of the result that was cut.`,
    );
  }
  try {
    const whole = await wholeOf(core, part);
    return { text: pieceOf(whole, offset, limit), offset, chars: charsOf(whole) };
  } catch (error) {
    if (!isBoughError(error)) throw error;
    return toolFailure('unreadable-result', `The result "${id}" could not be read: ${error.message}`);
  }
}

/** On the path first: that is what the model was told of. */
async function findResult(core: Core, id: string): Promise<ToolResultPart | undefined> {
  return last(await core.log.line(), id) ?? last(await core.log.since(0), id);
}

function last(placed: Awaited<ReturnType<Core['log']['line']>>, id: string): ToolResultPart | undefined {
  for (const { entry } of [...placed].reverse()) {
    if (entry.type !== 'message') continue;
    for (const part of entry.parts) if (part.type === 'tool_result' && part.call_id === id) return part;
  }
  return undefined;
}

async function wholeOf(core: Core, part: ToolResultPart): Promise<string> {
  if (part.blob === undefined) return part.content;
  return new TextDecoder().decode(await core.log.blobs.get(part.blob));
}

/** Walks once, without an array of all characters: a result may be as long as a command printed. */
function pieceOf(text: string, offset: number, limit: number): string {
  let piece = '';
  let at = 0;
  for (const char of text) {
    if (at >= offset + limit) break;
    if (at >= offset) piece += char;
    at += 1;
  }
  return piece;
}
