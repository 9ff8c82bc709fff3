// The same conversation as lines of Bough's log and of the peer's session file.
import { mkdir, open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { Conversation, type Event, type Shape } from './conversation.js';

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const timeOf = (index: number): string => new Date(BEGIN + index * 1_000).toISOString();
const usage = { input_tokens: 9_000, output_tokens: 700, total_tokens: 9_700 };

/** One line each, but for what Bough writes as one batch: a prompt with its turn, a result of a tool alone. */
function oursOf(event: Event, index: number): object {
  const { id, parent, turn, step } = event;
  const begin = { id, parent_id: parent, timestamp: timeOf(index) };
  const message = { type: 'message', ...begin, ...(turn === '' ? {} : { turn_id: turn }) };
  switch (event.kind) {
    case 'user':
      return { ...message, role: 'user', parts: [{ type: 'text', text: event.text }], origin: 'person' };
    case 'assistant':
      return {
        ...message,
        role: 'assistant',
        parts: [
          { type: 'text', text: event.text },
          ...(event.call === undefined
            ? []
            : [
                {
                  type: 'tool_call',
                  call_id: event.call.id,
                  provider_call_id: `toolu_${event.call.id}`,
                  name: 'write_file',
                  input: event.call.input,
                },
              ]),
        ],
        model: 'bench-1',
        provider: 'bench',
        attempt_id: `${id.slice(0, 12)}atmp`,
        step,
        finish_reason: event.call === undefined ? 'stop' : 'tool_calls',
      };
    case 'tool':
      return {
        ...message,
        role: 'tool',
        parts: [
          {
            type: 'tool_result',
            call_id: event.call,
            name: 'write_file',
            content: event.text,
            is_error: false,
          },
        ],
        step,
      };
    case 'compaction':
      return {
        type: 'compaction',
        ...begin,
        kind: 'summary',
        summary: event.summary,
        first_kept_entry_id: event.kept,
        tokens_before: 90_000,
        tokens_after: 12_000,
        read_files: [],
        modified_files: [],
      };
    case 'turn_start':
      return { type: 'turn_start', ...begin, turn_id: turn };
    case 'turn_end':
      return { type: 'turn_end', ...begin, turn_id: turn, steps: step, status: 'completed' };
    case 'step_start':
      return {
        type: 'step_start',
        ...begin,
        turn_id: turn,
        step,
        attempt_id: `${id.slice(0, 12)}atmp`,
        prompt_hash: id.repeat(4),
      };
    case 'step_end':
      return { type: 'step_end', ...begin, turn_id: turn, step };
    case 'tool_start':
      return { type: 'tool_start', ...begin, turn_id: turn, call_id: event.call };
    case 'usage':
      return { type: 'usage', ...begin, turn_id: turn, ...usage, purpose: 'step' };
  }
}

const peerUsage = {
  input: 9_000,
  output: 700,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 9_700,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** The peer's entries follow each other, notes included; what it has no entry for is a `custom` one. */
function peerOf(event: Event, index: number, parentId: string | null): object {
  const begin = { id: event.id, parentId, timestamp: timeOf(index) };
  const timestamp = BEGIN + index * 1_000;
  const message = (said: object): object => ({ type: 'message', ...begin, message: { ...said, timestamp } });
  switch (event.kind) {
    case 'user':
      return message({ role: 'user', content: [{ type: 'text', text: event.text }] });
    case 'assistant': {
      const call = event.call;
      const content = [
        { type: 'text', text: event.text },
        ...(call === undefined
          ? []
          : [{ type: 'toolCall', id: call.id, name: 'write_file', arguments: call.input }]),
      ];
      const stopReason = call === undefined ? 'stop' : 'toolUse';
      return message({
        role: 'assistant',
        content,
        api: 'openai-completions',
        provider: 'bench',
        model: 'bench-1',
        usage: peerUsage,
        stopReason,
      });
    }
    case 'tool':
      return message({
        role: 'toolResult',
        toolCallId: event.call,
        toolName: 'write_file',
        content: [{ type: 'text', text: event.text }],
        isError: false,
      });
    case 'compaction':
      return {
        type: 'compaction',
        ...begin,
        summary: event.summary,
        firstKeptEntryId: event.kept,
        tokensBefore: 90_000,
      };
    default:
      return {
        type: 'custom',
        ...begin,
        customType: event.kind,
        data: { turn: event.turn, step: event.step },
      };
  }
}

const json = (value: object): string =>
  JSON.stringify(value)
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');

function oursOfTurn(events: readonly Event[], first: number): string {
  const records = events.map((event, index) => json(oursOf(event, first + index)));
  const lines: string[] = [];
  for (let at = 0; at < records.length; at++) {
    const isBatch = events[at]?.kind === 'user' && at + 1 < records.length;
    lines.push(isBatch ? `[${records[at] ?? ''},${records[++at] ?? ''}]\n` : `${records[at] ?? ''}\n`);
  }
  return lines.join('');
}

export interface Files {
  /** `workspaces/<key>` of Bough's storage, and the file in it. */
  id: string;
  ours: string;
  peer: string;
}

export const filesOf = (folder: string, id: string): Files => ({
  id,
  ours: path.join(folder, 'ours/sessions', `${id}.jsonl`),
  peer: path.join(folder, 'peer', `${id}.jsonl`),
});

/** Turns. */
const WRITTEN_AT_ONCE = 100;

/** Writes both files unless they are there; `hasPeer` false: ours alone, which may be very large. */
export async function writeSession(folder: string, id: string, shape: Shape, hasPeer = true): Promise<Files> {
  const files = filesOf(folder, id);
  const isThere = await stat(files.ours).then(
    () => true,
    () => false,
  );
  if (isThere) return files;
  await mkdir(path.dirname(files.ours), { recursive: true });
  if (hasPeer) await mkdir(path.dirname(files.peer), { recursive: true });
  const ours = await open(`${files.ours}.part`, 'w');
  const peer = hasPeer ? await open(files.peer, 'w') : undefined;
  try {
    await ours.write(
      `${json({ type: 'session', version: 4, id, timestamp: timeOf(0), folder: 'file:///bench', producer: 'bough/bench' })}\n`,
    );
    await peer?.write(`${json({ type: 'session', version: 3, id, timestamp: timeOf(0), cwd: '/bench' })}\n`);
    let index = 0;
    const waiting: string[] = [];
    /** By conversation entry: the last entry that stands on it, for the line that goes on there. */
    const last = new Map<string | null, string>();
    for (const turn of new Conversation(shape).turns()) {
      waiting.push(oursOfTurn(turn, index));
      if (waiting.length >= WRITTEN_AT_ONCE) await ours.write(waiting.splice(0).join(''));
      index += turn.length;
      if (peer === undefined) continue;
      const lines = turn.map((event, at) => {
        const line = json(peerOf(event, index - turn.length + at, last.get(event.parent) ?? event.parent));
        last.set(
          event.kind === 'user' || 'text' in event || event.kind === 'compaction' ? event.id : event.parent,
          event.id,
        );
        return `${line}\n`;
      });
      await peer.write(lines.join(''));
    }
    await ours.write(waiting.join(''));
  } finally {
    await ours.close();
    await peer?.close();
  }
  await rename(`${files.ours}.part`, files.ours);
  return files;
}
