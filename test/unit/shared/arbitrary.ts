/**
 * Random logs for property tests: what an agent would write, with branches, crashes and repairs in any order, and then
 * damaged (entries lost, doubled, swapped, re-parented, cut off). Ids come from small pools so that they clash.
 */
import fc from 'fast-check';
import type { Part } from '../../../src/shared/entry.js';
import { isConversation, type Entry } from '../../../src/shared/notes.js';
import { LogBuilder, call, result, text } from './build.js';

const words = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('hello', 'read a.ts', 'done', 'x'.repeat(300)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      ' \n',
      '\ud83d',
      'a\udd25b',
      '\u2028',
      '\u0000',
      '🔥',
      '[Called read with {}]',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);
const callId = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5', 'c6');
const providerId = fc.constantFrom('', 'call_1', 'call_1', 'a b', 'x'.repeat(70), 'abc123XYZ', '__proto__');
const toolName = fc.constantFrom(
  'read',
  'edit',
  'run',
  '',
  'n'.repeat(80),
  'no.such tool',
  '工具',
  'constructor',
);
const input = fc.oneof(
  fc.constantFrom<unknown>({}, { path: 'a.ts' }, [1], 'text', null, 3, { '\ud800': '\udfff' }),
  fc.jsonValue({ maxDepth: 3 }),
);
const turnId = fc.constantFrom('t1', 't2', 't3');
const index = fc.nat({ max: 40 });

const metadata = { anthropic: { signature: 'sig', odd: '\ud800' } };
const parts: fc.Arbitrary<Part[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: words.map(text) },
    {
      weight: 4,
      arbitrary: fc
        .record({ id: callId, provider: providerId, name: toolName, input })
        .map(({ id, provider, name, input: value }): Part => ({
          ...call(id, name, value),
          provider_call_id: provider,
          provider_metadata: metadata,
        })),
    },
    {
      weight: 2,
      arbitrary: words.map((thought): Part => ({
        type: 'reasoning',
        text: thought,
        signature: `sig-${thought.length}`,
      })),
    },
    { weight: 2, arbitrary: fc.tuple(callId, words, fc.boolean()).map((args): Part => result(...args)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Part>(
        { type: 'image', blob: 'a'.repeat(64), mime: 'image/png', name: 'a.png' },
        { type: 'file', blob: 'b'.repeat(64), mime: 'text/plain', name: '\ud800.txt' },
        { type: 'text', text: '', blob: 'c'.repeat(64), preview: 'begin' },
      ),
    },
  ),
  { maxLength: 4 },
);

type Step = (log: LogBuilder, pick: (at: number) => string | null) => void;
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>): fc.WeightedArbitrary<Step> => ({
  weight,
  arbitrary,
});
const origin = fc.constantFrom(
  {},
  { provider: 'p', model: 'm' },
  { provider: 'p', model: 'm' },
  { provider: 'p', model: 'other' },
);
const author = fc.constantFrom(
  {},
  {},
  { author: { id: 'ann', name: 'Ann' } },
  { author: { id: 'bob', name: ' ' } },
);

/** One step of a turn as it runs: calls, an approval, starts and as many results as came before it broke off. */
const toolStep: fc.Arbitrary<Step> = fc
  .record({
    calls: fc.array(fc.tuple(callId, providerId, toolName, input), { minLength: 1, maxLength: 3 }),
    answered: fc.nat({ max: 3 }),
    decision: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const, null),
    edited_input: fc.constantFrom(undefined, undefined, { path: 'b.ts' }),
    content: words,
    by: origin,
    turn_id: turnId,
  })
  .map(({ calls, answered, decision, edited_input, content, by, turn_id }) => (log) => {
    const list = calls.map(([id, provider_call_id, name, value]) => ({
      ...call(id, name, value),
      provider_call_id,
    }));
    const thought: Part = { type: 'reasoning', text: 'because', signature: 'sig' };
    log.add({ type: 'message', role: 'assistant', parts: [thought, text(content), ...list], turn_id, ...by });
    for (const [place, { call_id }] of list.entries()) {
      const request = { call_id, tool: 'edit', summary: 'Edit', input_hash: 'h', targets: [], turn_id };
      log.add({ type: 'approval_request', ...request });
      const request_id = log.entries.at(-1)?.id ?? '';
      if (decision !== null) log.add({ type: 'approval_decision', request_id, decision, edited_input });
      if (decision === 'allow' && place <= answered) log.add({ type: 'tool_start', call_id, turn_id });
      if (place < answered) {
        log.add({ type: 'message', role: 'tool', parts: [result(call_id, content.repeat(9))], turn_id });
      }
    }
  });

/** Something that changed after going back, before anything follows. */
const afterwards: fc.Arbitrary<Step> = fc
  .tuple(index, words, callId)
  .map(([at, model_id, call_id]) => (log, pick) => {
    log.go(pick(at)).add({ type: 'model_change', provider: 'p', model_id });
    if (at % 2 === 0)
      log.add({ type: 'todo_update', items: [{ id: '1', title: model_id, status: 'pending' }] });
    if (at % 3 === 0) log.add({ type: 'tool_start', call_id });
  });

const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(8, toolStep),
  weighted(3, afterwards),
  weighted(
    8,
    fc.tuple(parts, author).map(([list, by]) => (log) => {
      log.add({ type: 'message', role: 'user', parts: list.length === 0 ? [text('go on')] : list, ...by });
    }),
  ),
  weighted(
    5,
    fc.tuple(parts, origin, turnId).map(([list, by, turn_id]) => (log) => {
      log.add({ type: 'message', role: 'assistant', parts: list, turn_id, ...by });
    }),
  ),
  weighted(
    4,
    fc.tuple(callId, words, parts).map(([id, content, more]) => (log) => {
      log.add({ type: 'message', role: 'tool', parts: [result(id, content), ...more] });
    }),
  ),
  weighted(
    1,
    parts.map((list) => (log) => void log.add({ type: 'message', role: 'system', parts: list })),
  ),
  weighted(
    1,
    words.map((partial) => (log) => {
      log.add({
        type: 'incomplete_output',
        attempt_id: 'a1',
        text: `PARTIAL${partial}`,
        incomplete: true,
        reason: 'crash',
      });
    }),
  ),
  weighted(
    1,
    fc.tuple(index, words, fc.boolean()).map(([at, summary, isWithout]) => (log, pick) => {
      const first_kept_entry_id = pick(at) ?? 'lost';
      const without = isWithout ? { kind: 'prune' as const, without_outputs: true as const } : {};
      log.add({
        ...{ type: 'compaction', summary, first_kept_entry_id, tokens_before: 2, tokens_after: 1 },
        ...without,
      });
    }),
  ),
  weighted(
    1,
    fc.tuple(index, index, words, fc.boolean()).map(([from, to, summary, collapse]) => (log, pick) => {
      const range = { from_id: pick(from) ?? 'lost', to_id: pick(to) ?? 'lost' };
      log.add({ type: 'branch_summary', ...range, summary, collapse });
    }),
  ),
  weighted(
    1,
    words.map((body) => (log) => void log.add({ type: 'skill_load', name: 's', description: body, body })),
  ),
  weighted(
    1,
    index.map((at) => (log, pick) => void log.go(pick(at))),
  ),
  weighted(
    2,
    turnId.map((turn_id) => (log) => void log.add({ type: 'turn_start', turn_id })),
  ),
  weighted(
    2,
    turnId.map(
      (turn_id) => (log) => void log.add({ type: 'turn_end', turn_id, steps: 1, status: 'completed' }),
    ),
  ),
  weighted(
    2,
    callId.map((call_id) => (log) => void log.add({ type: 'tool_start', call_id })),
  ),
  weighted(
    2,
    fc.tuple(callId, turnId).map(([call_id, turn_id]) => (log) => {
      const request = { call_id, tool: 'edit', summary: 'Edit a.ts', input_hash: 'h', targets: [], turn_id };
      log.add({ type: 'approval_request', ...request });
    }),
  ),
  weighted(
    2,
    fc
      .tuple(index, fc.constantFrom('allow' as const, 'deny' as const), input)
      .map(([at, decision, edited_input]) => (log) => {
        const requests = log.entries.filter(({ type }) => type === 'approval_request');
        const request_id = requests[at % Math.max(1, requests.length)]?.id ?? 'lost';
        log.add({ type: 'approval_decision', request_id, decision, edited_input });
      }),
  ),
  weighted(
    1,
    fc.nat({ max: 3 }).map((count) => (log) => {
      log.add({ type: 'step_start', step: count, attempt_id: 'a1' });
      if (count % 2 === 0) log.add({ type: 'step_end', step: count });
    }),
  ),
  weighted(
    1,
    fc.boolean().map((isResume) => (log) => {
      const wait = { step: 1, delay_ms: 1, due_at: '2026-01-01T00:00:00Z', error: 'busy' };
      if (isResume) log.add({ type: 'resume_start', resume: 1, max_resumes: 5, ...wait });
      else
        log.add({
          type: 'retry_start',
          kind: 'retry',
          attempt_id: 'a1',
          attempt: 1,
          max_attempts: 4,
          ...wait,
        });
    }),
  ),
  weighted(
    1,
    words.map(
      (title) => (log) => void log.add({ type: 'todo_update', items: [{ id: '1', title, status: 'done' }] }),
    ),
  ),
  weighted(
    1,
    words.map((name) => (log) => void log.add({ type: 'session_info', name })),
  ),
  weighted(
    1,
    index.map(
      (at) => (log, pick) => void log.add({ type: 'label', target_id: pick(at) ?? 'lost', label: 'l' }),
    ),
  ),
  weighted(
    1,
    words.map((model_id) => (log) => void log.add({ type: 'model_change', provider: 'p', model_id })),
  ),
  weighted(
    1,
    index.map((at) => (log) => {
      log.add({
        type: 'queue_update',
        items: [{ id: `q${at % 3}`, mode: 'queue', text: 'later' }],
        held: at % 2 === 0,
      });
      if (at % 5 === 0)
        log.add({ type: 'message', role: 'user', parts: [text('later')], queue_item_id: `q${at % 3}` });
    }),
  ),
);

/** A log without damage: every parent stands before its child, ids are unique. */
export const soundLog = (maxLength = 25): fc.Arbitrary<Entry[]> =>
  fc.array(step, { maxLength, size: 'max' }).map((steps) => {
    const log = new LogBuilder();
    const pick = (at: number): string | null => {
      const ids = log.entries.filter(isConversation).map(({ id }) => id);
      return at === 0 ? null : (ids[at % Math.max(1, ids.length)] ?? null);
    };
    for (const take of steps) take(log, pick);
    return log.entries;
  });

type Damage = { kind: 'lose' | 'double' | 'swap' | 'reparent' | 'rename' | 'cut'; at: number; to: number };
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('lose', 'double', 'swap', 'reparent', 'rename', 'cut'),
  at: index,
  to: index,
});

function inflict(entries: readonly Entry[], { kind, at, to }: Damage): Entry[] {
  if (entries.length === 0) return [];
  const one = at % entries.length;
  const other = to % entries.length;
  const a = entries[one];
  const b = entries[other];
  if (a === undefined || b === undefined) return [...entries];
  switch (kind) {
    case 'lose':
      return entries.toSpliced(one, 1);
    case 'double':
      return entries.toSpliced(other, 0, a);
    case 'swap':
      return entries.with(one, b).with(other, a);
    case 'reparent':
      return entries.with(one, { ...a, parent_id: to % 7 === 0 ? 'ghost' : b.id });
    case 'rename':
      return entries.with(one, { ...a, id: b.id });
    case 'cut':
      return to % 4 === 0 ? entries.slice(0, one) : [...entries];
  }
}

/** A log with up to four damages: anything a file may hold whose lines pass the schema. */
export const anyLog = (maxLength = 25): fc.Arbitrary<Entry[]> =>
  fc
    .tuple(soundLog(maxLength), fc.array(damage, { maxLength: 4, size: 'max' }))
    .map(([entries, damages]) => damages.reduce<Entry[]>(inflict, entries));
