/** What was typed while a turn ran: durable, each item sent exactly once, in one batch with the shorter list. */
import type { Part } from '../shared/entry.js';
import { BoughError } from '../shared/failure.js';
import type { Draft, QueueItem } from '../shared/notes.js';
import type { Mention } from '../shared/protocol.js';
import type { PathState } from '../shared/fold/types.js';
import type { Core } from './core.js';
import type { DraftOfType } from './entries.js';
import { fitQueueItem, fitsLine } from './offload.js';
import { withoutKeys } from './secrets.js';

export interface Prompt {
  text: string;
  mentions: readonly Mention[];
}

/** The text, and a part for each thing it names; an image is its blob. */
export function promptParts(text: string, mentions: readonly Mention[]): Part[] {
  return [{ type: 'text', text }, ...mentions.map(mentionPart)];
}

function mentionPart(mention: Mention): Part {
  const { kind, label, blob, mime } = mention;
  return kind === 'image' && blob !== undefined
    ? { type: 'image', blob, mime: mime ?? 'image/png', name: label }
    : { type: 'text', text: mentionText(mention) };
}

function mentionText({ kind, label, path, text }: Mention): string {
  const where = path === undefined || path === label ? label : `${label} (${path})`;
  const named = `[The person named this ${kind}: ${where}]`;
  return text === undefined || text.trim() === '' ? named : `${named}\n${text}`;
}

const messageOf = (item: QueueItem, turn_id: string, origin: 'steer' | 'person'): DraftOfType<'message'> => ({
  type: 'message',
  role: 'user',
  turn_id,
  parts: item.parts ?? [{ type: 'text', text: item.text }],
  origin: item.origin ?? origin,
  queue_item_id: item.id,
});

/** A list that is empty holds nothing back. */
function without(queue: readonly QueueItem[], item: QueueItem, held: boolean): DraftOfType<'queue_update'> {
  const items = queue.filter(({ id }) => id !== item.id);
  return { type: 'queue_update', items, held: held && items.length > 0 };
}

/** The next thing the person said into the running turn; null when there is none. A held list keeps only queued items. */
export function steerBatch(core: Core, turn_id: string): Draft[] | null {
  const { queue, queue_held } = core.log.state();
  const item = queue.find(({ mode }) => mode === 'steer');
  if (item === undefined) return null;
  return [messageOf(item, turn_id, 'steer'), { ...without(queue, item, queue_held), turn_id }];
}

/** The first queued prompt as a turn of its own; null when there is none or the queue is held. */
export function queuedTurn(core: Core, turn_id: string, hold: 'kept' | 'released' = 'kept'): Draft[] | null {
  const { queue, queue_held } = core.log.state();
  const [item] = queue;
  if (item === undefined || (queue_held && hold === 'kept')) return null;
  return [
    messageOf(item, turn_id, 'person'),
    { type: 'turn_start', turn_id },
    { ...without(queue, item, false), turn_id },
  ];
}

/** After anything but a good end the queue is held until the person releases it; there is no turn left to steer. */
export const holdQueue = ({ queue, queue_held }: PathState, turn_id?: string): Draft[] =>
  queue.every(({ mode }) => queue_held && mode === 'queue')
    ? []
    : [
        {
          type: 'queue_update',
          ...(turn_id === undefined ? {} : { turn_id }),
          items: queue.map((item) => ({ ...item, mode: 'queue' })),
          held: true,
        },
      ];

const fullText = (waiting: number): string =>
  waiting === 0
    ? 'The message was not queued: it names too many things. Name fewer, or send it when the turn has ended.'
    : `The message was not queued: the queue is full (messages in it: ${String(waiting)}). Wait until some are sent, or drop one.`;

/** The list with one more prompt at its end. @throws BoughError TooLarge when it has no room for one */
export async function enqueue(core: Core, mode: QueueItem['mode'], prompt: Prompt): Promise<Draft[]> {
  const parts = promptParts(prompt.text, prompt.mentions);
  const item = { id: core.parts.ids.entry(), mode, text: prompt.text, parts };
  const fitted = await fitQueueItem(core.blobs, withoutKeys(item, core.parts.redact));
  const { queue, queue_held } = core.log.state();
  const update: Draft = {
    type: 'queue_update',
    items: [...queue, fitted],
    held: queue_held && queue.length > 0,
  };
  if (!fitsLine(update)) throw new BoughError('TooLarge', fullText(queue.length));
  return [update];
}

/**
 * The list with what an agent reported at its end. Where nothing runs it holds the list: by itself it begins no turn, and
 * it goes into the next one. @throws BoughError TooLarge when it has no room for it
 */
export async function enqueueReport(core: Core, id: string, text: string): Promise<Draft[]> {
  const { queue, queue_held, turn } = core.log.state();
  const item: QueueItem = { id, mode: 'steer', text, origin: 'subagent', parts: [{ type: 'text', text }] };
  const fitted = await fitQueueItem(core.blobs, withoutKeys(item, core.parts.redact));
  const isHeld = turn === null ? true : queue_held && queue.length > 0;
  const update: Draft = { type: 'queue_update', items: [...queue, fitted], held: isHeld };
  if (!fitsLine(update)) throw new BoughError('TooLarge', fullText(queue.length));
  return [update];
}

/** The list without a report that the model has read; nothing when it is not in it any more. */
export function readReport({ queue, queue_held }: PathState, id: string): Draft[] {
  const items = queue.filter((item) => item.id !== id);
  if (items.length === queue.length) return [];
  return [{ type: 'queue_update', items, held: queue_held && items.length > 0 }];
}

/** The list with one prompt changed. @throws BoughError TooLarge when it has no room for the change */
export async function changeQueued(
  core: Core,
  change: {
    item_id: string;
    text: string;
    mentions?: readonly Mention[] | undefined;
    mode?: QueueItem['mode'] | undefined;
  },
): Promise<Draft[]> {
  const { queue, queue_held } = core.log.state();
  const items: QueueItem[] = [];
  for (const item of queue) {
    if (item.id !== change.item_id) {
      items.push(item);
      continue;
    }
    const kept = change.mentions === undefined ? (item.parts ?? []).slice(1) : [];
    const parts = [...promptParts(change.text, change.mentions ?? []), ...kept];
    const changed = { ...item, mode: change.mode ?? item.mode, text: change.text, parts };
    items.push(await fitQueueItem(core.blobs, withoutKeys(changed, core.parts.redact)));
  }
  const update: Draft = { type: 'queue_update', items, held: queue_held };
  if (!fitsLine(update)) throw new BoughError('TooLarge', fullText(queue.length));
  return [update];
}
