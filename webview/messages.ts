/**
 * Checks what the host posts before anything acts on it. Entries and notes were checked by the log that holds them; here
 * it is the shape around them.
 */
import * as z from 'zod';
import { approvalModes } from '../src/shared/approval-state.js';
import { failureSchema } from '../src/shared/failure-schema.js';
import { isPackedOutline } from '../src/shared/fold/packed-outline.js';
import type { ToWebview } from '../src/shared/protocol.js';

const count = z.number().int().nonnegative();
const session = z.string();
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

const isNode = (node: unknown): boolean =>
  Array.isArray(node) &&
  node.length === 5 &&
  typeof node[0] === 'string' &&
  Number.isInteger(node[1]) &&
  typeof node[2] === 'string' &&
  Number.isInteger(node[3]) &&
  typeof node[4] === 'string';
const outline = z.custom<unknown[]>((nodes) => Array.isArray(nodes) && nodes.every(isNode), 'No outline');
const state = z.looseObject({
  head: z.string().nullable(),
  approvals: z.array(z.unknown()),
  queue: z.array(z.unknown()),
});
const status = z.looseObject({
  run: z.enum(['idle', 'running', 'waiting', 'retrying', 'parked', 'stopping']),
  notices: z.array(z.looseObject({ kind: z.string(), message: z.string(), actions: z.array(z.unknown()) })),
  suggestions: z.array(z.string()),
  mode: z.enum(approvalModes),
});
/** By hand, as with the outline: they are hundreds, and a schema would copy each. */
const isPlaced = (placed: unknown): boolean =>
  typeof placed === 'object' &&
  placed !== null &&
  'position' in placed &&
  isCount(placed.position) &&
  'entry' in placed &&
  typeof placed.entry === 'object' &&
  placed.entry !== null &&
  'type' in placed.entry &&
  typeof placed.entry.type === 'string' &&
  'id' in placed.entry &&
  typeof placed.entry.id === 'string';
const entries = z.custom<unknown[]>((all) => Array.isArray(all) && all.every(isPlaced), 'No entries');
const calls = z.array(z.looseObject({ name: z.string(), chars: count }));
const progress = z.array(z.looseObject({ call_id: z.string(), started_at: z.number(), tail: z.string() }));

const dropped = z.looseObject({
  tries: z.array(z.looseObject({ attempt_id: z.string(), text: z.string(), reasoning: z.string() })),
});

const schema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('snapshot'),
    session: z.looseObject({ id: z.string(), title: z.string() }),
    position: count,
    outline: z.custom(isPackedOutline, 'No outline'),
    state,
    status,
    entries,
    more: z.boolean(),
    growing: z
      .looseObject({ attempt_id: z.string(), text: z.string(), reasoning: z.string(), calls })
      .nullable(),
    dropped: dropped.optional(),
    progress,
    draft: z.looseObject({ text: z.string(), editing: z.string().nullable() }),
  }),
  z.looseObject({
    type: z.literal('appended'),
    session,
    from: count,
    position: count,
    outline,
    state,
    status,
    entries,
  }),
  z.looseObject({
    type: z.literal('opening'),
    session: session.nullable(),
    title: z.string().nullable(),
    state: z.enum(['opening', 'cancelled', 'failed']),
    bytes: count,
    of: count,
  }),
  z.looseObject({ type: z.literal('status'), session, status }),
  z.looseObject({ type: z.literal('not_shown'), session, message: z.string() }),
  z.looseObject({
    type: z.literal('growing'),
    session,
    attempt_id: z.string(),
    offset: count,
    delta: z.string(),
    reasoning_offset: count,
    reasoning_delta: z.string(),
    calls,
  }),
  z.looseObject({ type: z.literal('growing_end'), session, attempt_id: z.string() }),
  z.looseObject({ type: z.literal('dropped'), session, dropped: dropped.nullable() }),
  z.looseObject({ type: z.literal('progress'), session, progress }),
  z.looseObject({
    type: z.literal('compose'),
    text: z.string().optional(),
    at: z.enum(['approval', 'same', 'none']).optional(),
  }),
  z.looseObject({ type: z.literal('compare'), left_id: z.string(), right_id: z.string() }),
  z.looseObject({
    type: z.literal('edited'),
    session,
    call_id: z.string(),
    after: z.string().nullable(),
  }),
  z.looseObject({ type: z.literal('undone'), session, entry_id: z.string() }),
  z.looseObject({
    type: z.literal('chosen'),
    session,
    what: z.enum(['edit', 'copy']),
    entry_id: z.string(),
  }),
  z.discriminatedUnion('ok', [
    z.looseObject({ type: z.literal('reply'), id: count, ok: z.literal(true) }),
    z.looseObject({ type: z.literal('reply'), id: count, ok: z.literal(false), failure: failureSchema }),
  ]),
]);

/** By hand too: it comes with every word of an answer. */
const isGrowing = (data: unknown): boolean =>
  typeof data === 'object' &&
  data !== null &&
  'type' in data &&
  data.type === 'growing' &&
  'session' in data &&
  typeof data.session === 'string' &&
  'attempt_id' in data &&
  typeof data.attempt_id === 'string' &&
  'offset' in data &&
  isCount(data.offset) &&
  'delta' in data &&
  typeof data.delta === 'string' &&
  'reasoning_offset' in data &&
  isCount(data.reasoning_offset) &&
  'reasoning_delta' in data &&
  typeof data.reasoning_delta === 'string' &&
  'calls' in data &&
  Array.isArray(data.calls) &&
  (data.calls.length === 0 || calls.safeParse(data.calls).success);

const fits = (data: unknown): data is ToWebview => isGrowing(data) || schema.safeParse(data).success;

/** The message, or a sentence that says why it is none. */
export function readMessage(data: unknown): ToWebview | string {
  if (fits(data)) return data;
  const issue = schema.safeParse(data).error?.issues[0];
  return `A message from the extension does not fit the protocol: ${issue?.message ?? ''} at ${issue?.path.join('.') ?? ''}`;
}
