// What the host would send: snapshots folded from real entries, so that no scene shows what a log could not say.
import { packOutline } from '../../../src/shared/fold/packed-outline.js';
import { SessionFold } from '../../../src/shared/fold/session-fold.js';
import type { Draft, Entry } from '../../../src/shared/notes.js';
import type { StyleRun } from '../../../src/shared/styled-text.js';
import type {
  ComparedLine,
  ComparedLines,
  Snapshot,
  StatusView,
  ToWebview,
} from '../../../src/shared/protocol.js';

export const demoModel = { id: 'demo/tour', label: 'Demo', demo: true, contextWindow: undefined };
export const realModel = {
  id: 'local/qwen3-coder',
  label: 'Qwen3 Coder (local)',
  demo: false,
  contextWindow: 131_072,
};

export const idle: StatusView = {
  run: 'idle',
  notices: [],
  interrupted: null,
  model: realModel,
  failure: null,
  place: 'ready',
  suggestions: [],
  sendOn: 'enter',
  mode: 'ask',
  isSummarising: false,
};

export interface Placed {
  position: number;
  entry: Entry;
}

/** A session as a log would hold it; ids and times are made up but stable. */
export class Scene {
  readonly fold = new SessionFold();
  readonly placed: Placed[] = [];
  readonly blobs = new Map<string, string>();
  status: StatusView = idle;
  title = 'Make the greeting friendlier';
  #ids = 0;

  constructor(readonly id = 'session-1') {}

  /** Appends an entry behind the head and gives its id. */
  add(draft: Draft): string {
    const position = this.placed.length;
    const id = draft.id ?? `${(++this.#ids).toString(16).padStart(4, '0')}000000000000`;
    const timestamp = new Date(Date.UTC(2026, 0, 5, 9, 0, position)).toISOString();
    const parent = draft.parent_id === undefined ? this.fold.head : draft.parent_id;
    // A draft and what the log fills in are an entry.
    const entry = { ...draft, id, parent_id: parent, timestamp } as Entry;
    this.fold.add(entry, position);
    this.placed.push({ position, entry });
    return id;
  }

  user(text: string): string {
    return this.add({ type: 'message', role: 'user', parts: [{ type: 'text', text }], origin: 'person' });
  }

  /** A prompt with its open turn. */
  turn(text: string, turn_id: string): string {
    const id = this.add({ type: 'message', role: 'user', parts: [{ type: 'text', text }], turn_id });
    this.add({ type: 'turn_start', turn_id });
    return id;
  }

  endTurn(turn_id: string, status: 'completed' | 'stopped' | 'failed' | 'interrupted' = 'completed'): void {
    this.add({ type: 'turn_end', turn_id, steps: 1, status });
  }

  answer(text: string, attempt_id?: string): string {
    return this.add({
      type: 'message',
      role: 'assistant',
      parts: [{ type: 'text', text }],
      ...(attempt_id === undefined ? {} : { attempt_id }),
    });
  }

  /** An answer that calls tools, with text before them. */
  calls(text: string, calls: { call_id: string; name: string; input: unknown }[], turn_id?: string): string {
    return this.add({
      type: 'message',
      role: 'assistant',
      parts: [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...calls.map((call) => ({ type: 'tool_call' as const, ...call })),
      ],
      ...(turn_id === undefined ? {} : { turn_id }),
    });
  }

  result(
    call_id: string,
    name: string,
    content: string,
    is_error = false,
    styles?: readonly StyleRun[],
  ): string {
    const coloured = styles === undefined ? {} : { styles: [...styles] };
    const part = { type: 'tool_result' as const, call_id, name, content, is_error, ...coloured };
    return this.add({ type: 'message', role: 'tool', parts: [part] });
  }

  /** As the host would answer. */
  compare(left_id: string, right_id: string): ComparedLines {
    const [left, right] = [this.fold.pathIds(left_id), this.fold.pathIds(right_id)];
    const common_id = left.findLast((id) => right.includes(id)) ?? null;
    const line = (head: string): ComparedLine => {
      const own = this.fold.linePositions(head).flatMap((position) => this.placed[position] ?? []);
      const from = own.findIndex(({ entry }) => entry.id === common_id) + 1;
      return { head, entries: own.slice(from), state: this.fold.state(head), left_out: 0 };
    };
    const there = new Map(this.fold.files(right_id).map(({ path, here }) => [path, here]));
    const files = this.fold
      .files(left_id)
      .filter(({ path, here }) => here !== there.get(path))
      .map(({ path, here }) => ({ path, left: here !== null, right: there.get(path) !== null }));
    return { common_id, left: line(left_id), right: line(right_id), files };
  }

  blob(text: string): string {
    const hash = (this.blobs.size + 1).toString(16).padStart(64, '0');
    this.blobs.set(hash, text);
    return hash;
  }

  /** All entries of the line to `head`, in file order. */
  line(head = this.fold.head): Placed[] {
    return this.fold.linePositions(head).flatMap((position) => this.placed[position] ?? []);
  }

  snapshot(overrides: Partial<Snapshot> = {}): Snapshot {
    return {
      type: 'snapshot',
      session: { id: this.id, title: this.title, folder: 'file:///home/ada/sample', read_only: false },
      position: this.fold.position,
      outline: packOutline(this.fold.outline),
      state: this.fold.state(),
      status: this.status,
      entries: this.line(),
      more: false,
      growing: null,
      progress: [],
      draft: { text: '', editing: null },
      ...overrides,
    };
  }

  /** What was added since `from` entries and `nodes` of the outline. */
  appended(from: number, nodes: number): Extract<ToWebview, { type: 'appended' }> {
    return {
      type: 'appended',
      session: this.id,
      from,
      position: this.fold.position,
      outline: this.fold.outline.slice(nodes),
      state: this.fold.state(),
      status: this.status,
      entries: this.placed.slice(from),
    };
  }

  /** Runs `change` and gives what it appended. */
  append(change: () => void): Extract<ToWebview, { type: 'appended' }> {
    const from = this.fold.position;
    const nodes = this.fold.outline.length;
    change();
    return this.appended(from, nodes);
  }

  /** Moves the head and gives what the host sends then: the line as a whole. */
  goTo(entry_id: string | null): Snapshot {
    this.add({ type: 'head', entry_id });
    return this.snapshot();
  }

  growing(text: string, offset = 0, attempt_id = 'attempt-1'): Extract<ToWebview, { type: 'growing' }> {
    return {
      type: 'growing',
      session: this.id,
      attempt_id,
      turn_id: 'turn-1',
      step: 1,
      offset,
      delta: text,
      reasoning_offset: 0,
      reasoning_delta: '',
      calls: [],
    };
  }
}
