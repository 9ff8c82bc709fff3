/**
 * The line of a session that is shown, as blocks to be exported: everything the transcript has – prompts with what was
 * attached by name, answers, what tools did, retries, what never ended, names of places and other lines, damage – in its
 * order. What is too long for the log's own lines is fetched whole; what is missing is said.
 */
import type { LostEntry, PlacedEntry, SessionLog } from '../../log/store.js';
import type { ConversationEntry, Message, TextPart } from '../../shared/entry.js';
import { isBoughError } from '../../shared/failure.js';
import { rowsOf } from '../../shared/fold/path.js';
import { Outline } from '../../shared/fold/outline.js';
import type { Fork, Row, ToolCard } from '../../shared/fold/types.js';
import { promptOf, textParts } from '../../shared/prompt-parts.js';
import { lineUnlessGone, placesOf } from '../sessions/gone.js';
import type { Block, Conversation } from './blocks.js';
import { noteText } from './note-text.js';

type Read = (hash: string, beginning: string) => Promise<string>;

export async function readConversation(
  log: Pick<
    SessionLog,
    'access' | 'line' | 'linePositions' | 'held' | 'outline' | 'state' | 'damage' | 'header' | 'blobs'
  >,
  title: string,
): Promise<Conversation & { lost: LostEntry[] }> {
  const state = log.state();
  const { entries, lost } = await lineUnlessGone(log);
  const outline = new Outline(log.outline);
  const rows = new Map(rowsOf(entries, outline, state, 'idle').map((row) => [row.entry.id, row]));
  const read: Read = (hash, beginning) => readBlob(log.blobs, hash, beginning);
  const long = longResults(entries);
  const blocks: Block[] = [];
  for (const one of [...entries, ...lost].sort((a, b) => a.position - b.position)) {
    if (!isHad(one)) {
      blocks.push(...lostBlocks(one));
      continue;
    }
    const { entry } = one;
    const row = rows.get(entry.id);
    if (row !== undefined) blocks.push(...(await rowBlocks(await withWhole(row, long, read), read)));
    else if (!isConversationBody(entry.type)) {
      const text = noteText(entry);
      if (text !== undefined) blocks.push({ kind: 'quiet', text });
    }
    const label = state.labels[entry.id];
    if (label !== undefined) blocks.push({ kind: 'quiet', text: `Label: ${label}` });
  }
  return { title, facts: [...lostFacts(lost), ...factsOf(log, outline)], blocks, lost };
}

const resultKey = (entry: string, call: string): string => `${entry} ${call}`;

/** Blobs of results of which the log itself has but the beginning and the end. */
function longResults(entries: readonly PlacedEntry[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { entry } of entries) {
    if (entry.type !== 'message') continue;
    for (const part of entry.parts)
      if (part.type === 'tool_result' && part.blob !== undefined)
        found.set(resultKey(entry.id, part.call_id), part.blob);
  }
  return found;
}

async function withWhole(row: Row, long: ReadonlyMap<string, string>, read: Read): Promise<Row> {
  if (row.kind !== 'assistant') return row;
  const cards: ToolCard[] = [];
  for (const card of row.cards) {
    const blob = long.get(resultKey(card.result_id ?? '', card.call.call_id));
    cards.push(blob === undefined ? card : { ...card, result: await read(blob, card.result ?? '') });
  }
  return { ...row, cards };
}

const isHad = (one: PlacedEntry | LostEntry): one is PlacedEntry => 'entry' in one;

/** A note that is lost is counted at the beginning, and has no place of its own. */
const lostBlocks = ({ id, position, preview = '' }: LostEntry): Block[] =>
  id === undefined
    ? []
    : [
        {
          kind: 'quiet',
          text: `Entry ${position + 1} could not be had any more, since the session's file is gone. It begins: "${preview}"`,
        },
      ];

function lostFacts(lost: readonly LostEntry[]): string[] {
  if (lost.length === 0) return [];
  return [
    `The session's file was gone when this was exported. What these entries of it held could not be had any more: ${placesOf(lost)}.`,
  ];
}

const isConversationBody = (type: string): type is ConversationEntry['type'] =>
  ['message', 'incomplete_output', 'compaction', 'branch_summary', 'skill_load'].includes(type);

function factsOf({ header, damage }: Pick<SessionLog, 'header' | 'damage'>, outline: Outline): string[] {
  const begun = header.timestamp === undefined ? [] : [`Begun ${header.timestamp}`];
  const leaves = outline.leaves().length;
  const lines =
    leaves > 1
      ? [`This is one of ${leaves} lines of the conversation. An export as JSONL holds all of them.`]
      : [];
  const damaged = damage.map(
    ({ line, reason, kept }) =>
      `Line ${line} of the log ${kept === true ? 'is damaged' : 'could not be read and is left out here'}: ${reason}`,
  );
  return [...begun, ...lines, ...damaged];
}

async function rowBlocks(row: Row, read: Read): Promise<Block[]> {
  const fork: Block[] = row.fork === undefined ? [] : [{ kind: 'quiet', text: forkText(row.fork) }];
  return [...fork, ...(await bodyBlocks(row, read))];
}

function forkText({ index, siblings }: Fork): string {
  const others = siblings
    .flatMap(({ preview }, other) => (other === index ? [] : [`"${preview || 'Empty'}"`]))
    .join(', ');
  return `Branch ${index + 1} of ${siblings.length} from here. The others begin: ${others}`;
}

async function bodyBlocks(row: Row, read: Read): Promise<Block[]> {
  switch (row.kind) {
    case 'user':
      return promptBlocks(row.entry, read);
    case 'assistant':
      return answerBlocks(row.entry, row.cards, read);
    case 'incomplete': {
      const { reason, error } = row.entry;
      const texts: Block[] = [];
      for (const tried of [...(row.entry.earlier ?? []), row.entry]) {
        if (texts.length > 0)
          texts.push({ kind: 'quiet', text: 'It broke off here and was asked for again.' });
        const { reasoning = '', reasoning_blob, text, blob, preview = '' } = tried;
        const thought = reasoning_blob === undefined ? reasoning : await read(reasoning_blob, reasoning);
        if (thought.trim() !== '') texts.push({ kind: 'code', label: 'Thought', text: thought });
        texts.push({ kind: 'markdown', text: blob === undefined ? text : await read(blob, preview) });
      }
      const why = [reason ?? 'unknown', ...(error === undefined ? [] : [error])].join(', ');
      return [
        { kind: 'heading', text: 'Answer (incomplete)' },
        ...texts,
        { kind: 'quiet', text: `This answer never ended (${why}).` },
      ];
    }
    case 'compaction':
      return [
        {
          kind: 'heading',
          text:
            row.entry.without_outputs === true
              ? 'What tools gave above is left out for the model'
              : 'Summary of what stands above',
        },
        {
          kind: 'quiet',
          text: `${row.entry.tokens_before} tokens became ${row.entry.tokens_after} for the model.`,
        },
        { kind: 'markdown', text: row.entry.summary },
      ];
    case 'branch_summary':
      return [
        {
          kind: 'heading',
          text: row.entry.collapse === true ? 'Summary of a part' : 'Summary of another branch',
        },
        { kind: 'markdown', text: row.entry.summary },
      ];
    case 'skill_load':
      return [{ kind: 'quiet', text: `Loaded the skill ${row.entry.name}` }];
  }
}

async function wholeText(parts: readonly TextPart[], read: Read): Promise<string> {
  const texts: string[] = [];
  for (const { text, blob, preview } of parts)
    texts.push(blob === undefined ? text : await read(blob, preview ?? text));
  return texts.join('\n\n');
}

const origins: Partial<Record<NonNullable<Message['origin']>, string>> = {
  steer: 'Prompt (sent while it worked)',
  continuation: 'Continued by itself',
};

async function promptBlocks(entry: Message, read: Read): Promise<Block[]> {
  const { typed, attachments, files } = promptOf(entry);
  const own = entry.goal_id === undefined ? entry.origin && origins[entry.origin] : 'Prompt of the goal';
  const heading = entry.role === 'system' ? 'System' : (own ?? 'Prompt');
  const named = [...attachments.map(({ label }) => label), ...files.map(({ name }) => name)];
  return [
    { kind: 'heading', text: heading },
    { kind: 'typed', text: await wholeText(typed, read) },
    ...named.map((name): Block => ({ kind: 'quiet', text: `Attached: ${name}` })),
  ];
}

async function answerBlocks(entry: Message, cards: readonly ToolCard[], read: Read): Promise<Block[]> {
  const text = await wholeText(textParts(entry), read);
  const blocks: Block[] =
    text.trim() === ''
      ? []
      : [
          { kind: 'heading', text: 'Answer' },
          { kind: 'markdown', text },
        ];
  for (const part of entry.parts) {
    if (part.type !== 'reasoning') continue;
    const thought = part.blob === undefined ? part.text : await read(part.blob, part.preview ?? '');
    if (thought.trim() !== '') blocks.unshift({ kind: 'code', label: 'Thought', text: thought });
  }
  for (const card of cards) blocks.push(...(await cardBlocks(card, read)));
  return blocks;
}

async function cardBlocks(card: ToolCard, read: Read): Promise<Block[]> {
  const { call, state, result, summary, decision, feedback } = card;
  const said = [
    state,
    ...(decision === undefined ? [] : [decision === 'allow' ? 'allowed' : `decision: ${decision}`]),
    ...(feedback === undefined || feedback === '' ? [] : [feedback]),
  ];
  const written = call.raw_input ?? JSON.stringify(call.input, null, 2);
  const input = call.blob === undefined ? written : await read(call.blob, call.preview ?? '');
  const ran: Block[] =
    card.edited_input === undefined
      ? []
      : [{ kind: 'code', label: 'Changed before it ran', text: JSON.stringify(card.edited_input, null, 2) }];
  return [
    {
      kind: 'quiet',
      text: `Tool ${call.name} (${said.join(', ')})${summary === undefined ? '' : `: ${summary}`}`,
    },
    ...(input === '{}' ? [] : [{ kind: 'code', label: 'Input', text: input } as const]),
    ...ran,
    ...(result === undefined || result === ''
      ? []
      : [{ kind: 'code', label: 'Result', text: result } as const]),
  ];
}

async function readBlob(blobs: SessionLog['blobs'], hash: string, beginning: string): Promise<string> {
  try {
    return new TextDecoder().decode(await blobs.get(hash));
  } catch (error) {
    if (!isBoughError(error)) throw error;
    return `${beginning}\n[The rest of this text could not be read: ${error.message}]`;
  }
}
