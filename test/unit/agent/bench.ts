/** A session with everything around it faked, and its log as golden text: one line a batch. */
import { createAgentSession } from '../../../src/agent/session.js';
import { defaultPolicy } from '../../../src/agent/retry.js';
import type { AgentEvent, AgentParts, AgentSession, AgentSettings } from '../../../src/agent/types.js';
import type { CustomStore } from '../../../src/log/custom-store.js';
import type { SessionLog } from '../../../src/log/store.js';
import { begunWord } from '../../../src/models/redact.js';
import type { Models, Skills, Tool, Subagents } from '../../../src/ports.js';
import type { Failure } from '../../../src/shared/failure.js';
import { isFailure } from '../../../src/shared/failure.js';
import type { Entry } from '../../../src/shared/notes.js';
import type { Intent } from '../../../src/shared/protocol.js';
import { fakeWorkspace, type FakeWorkspace } from '../tools/fake-workspace.js';
import { FakeClock, idle } from './fake-clock.js';
import { FakeModel, type Reply } from './fake-model.js';
import { fakeTools, type ToolLog } from './fake-tools.js';
import { Disk, Process, openCustomLog, openLog } from './test-log.js';

/** Stands in no text. */
const NO_KEY = '\u0000';

export interface BenchOptions {
  /** Where the session is kept in place of files. */
  custom?: CustomStore;
  /** Of the session; the usual one is a person's. */
  id?: string;
  /** The log comes from elsewhere. */
  isForeign?: boolean;
  /** A provider's key: it must not be kept anywhere. */
  key?: string;
  script?: readonly Reply[];
  /** Answers when the script is at its end. */
  endless?: () => Reply;
  files?: Record<string, string>;
  failPut?: (shown: string) => string | undefined;
  settings?: Partial<AgentSettings>;
  retry?: Partial<AgentSettings['retry']>;
  /** What the rules allow without asking. */
  allows?: (call: { tool: string; subject: string }) => boolean;
  tools?: readonly Tool[];
  subagents?: Subagents;
  skills?: Skills;
  /** Real models in place of the scripted one. */
  models?: (clock: FakeClock) => Models;
  startedAt?: number;
}

export interface Bench {
  clock: FakeClock;
  disk: Disk;
  process: Process;
  log: SessionLog;
  model: FakeModel;
  workspace: FakeWorkspace;
  session: AgentSession;
  settings: AgentSettings;
  events: AgentEvent[];
  ran: ToolLog;
  remembered: { tool: string; subject: string; scope: string }[];
  told: string[];
  /** Sends and lets everything happen that needs no time. */
  send(
    text: string,
    more?: Partial<Extract<Intent, { type: 'send' }>>,
  ): Promise<{ entry_id?: string } | Failure>;
  do(intent: Intent): Promise<{ entry_id?: string } | Failure>;
  /** The log, one line a batch. */
  story(from?: number): string[];
  entries<T extends Entry['type']>(type: T): Extract<Entry, { type: T }>[];
  /** Whether nobody holds the lease. */
  isFree(): boolean;
  /** The process dies here; another opens the same log. */
  crash(): Promise<Bench>;
  /** Another window opens the same log while this one lives. */
  second(): Promise<Bench>;
}

/** Something that happens when the test says so. */
export function later(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

export const failureOf = (value: unknown): Failure => {
  if (!isFailure(value)) throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
  return value;
};

export function openBench(options: BenchOptions = {}): Promise<Bench> {
  const clock = new FakeClock(options.startedAt);
  const workspace = fakeWorkspace({
    files: options.files ?? {},
    ...(options.failPut === undefined ? {} : { failPut: options.failPut }),
  });
  const model = new FakeModel(clock, options.script ?? [], options.endless);
  return benchOn(new Disk(clock), { clock, workspace, model, ran: [] }, options);
}

interface World {
  clock: FakeClock;
  workspace: FakeWorkspace;
  model: FakeModel;
  ran: ToolLog;
}

async function benchOn(disk: Disk, world: World, options: BenchOptions, name = 'one'): Promise<Bench> {
  const { clock, workspace, model, ran } = world;
  const process = new Process(disk, name);
  const { custom } = options;
  const opening =
    custom === undefined
      ? openLog(disk, process, clock, options.id)
      : openCustomLog(custom, disk, process, clock);
  const { log } = await opening;
  const remembered: Bench['remembered'] = [];
  const told: string[] = [];
  const settings: AgentSettings = {
    retry: { ...defaultPolicy, ...options.retry },
    idleTimeout: 60_000,
    compactAt: 0.92,
    keepRecentTokens: 20_000,
    offloadBytes: 50_000,
    maxSteps: 200,
    maxContinuations: 30,
    maxCost: 0,
    maxDuration: 0,
    model: 'fake/one',
    ...options.settings,
  };
  const parts: AgentParts = {
    models: options.models?.(clock) ?? model,
    tools: options.tools ?? fakeTools(ran),
    workspace,
    ...(options.subagents === undefined ? {} : { subagents: options.subagents }),
    clock,
    ids: disk.ids,
    settings: () => settings,
    isForeign: options.isForeign === true,
    redact: {
      keys: (text) => text.replaceAll(options.key ?? NO_KEY, '[redacted]'),
      tokens: (text) =>
        text.replaceAll(options.key ?? NO_KEY, '[redacted]').replaceAll(/token-\w+/g, '[redacted]'),
      begun: (text) => begunWord(text, [options.key ?? NO_KEY]),
    },
    rules: {
      allows: (call, ofSession) =>
        options.allows?.(call) === true ||
        ofSession.some(({ tool, pattern }) => tool === call.tool && pattern === call.subject),
      describe: ({ tool, subject }) => `${tool} ${subject}`,
      remember: (call, scope) => {
        remembered.push({ ...call, scope });
        return Promise.resolve(scope === 'session' ? { tool: call.tool, pattern: call.subject } : null);
      },
    },
    surroundings: () =>
      Promise.resolve({ system: 'Linux', shell: '/bin/sh', date: '2026-01-01', instructions: [] }),
    ...(options.skills === undefined ? {} : { skills: options.skills }),
    random: () => 0.5,
    log: (level, message) => told.push(`${level}: ${message}`),
  };
  const session = createAgentSession(log, parts);
  const events: AgentEvent[] = [];
  session.on((event) => events.push(event));
  const perform = async (intent: Intent): Promise<{ entry_id?: string } | Failure> => {
    const result = await session.dispatch(intent);
    await idle();
    return result;
  };
  return {
    ...{ clock, disk, process, log, model, workspace, session, settings, events, ran, remembered, told },
    do: perform,
    send: (text, more = {}) => perform({ type: 'send', text, mentions: [], mode: 'send', ...more }),
    story: (from = 0) => disk.batches.slice(from).map((batch) => batch.map(tell).join(' + ')),
    entries: <T extends Entry['type']>(type: T) =>
      disk.entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type),
    isFree: () => disk.locks.size === 0,
    crash: async () => {
      process.kill();
      await idle();
      return benchOn(disk, world, options, `after ${name}`);
    },
    second: () => benchOn(disk, world, options, `beside ${name}`),
  };
}

/** An entry in a few words: what the assertions are made of. */
export function tell(entry: Entry): string {
  switch (entry.type) {
    case 'message':
      return `${entry.origin === 'steer' ? 'steer' : entry.role} ${entry.parts.map(tellPart).join(' ')}`;
    case 'incomplete_output':
      return `incomplete ${entry.reason ?? ''} "${entry.text}"`;
    case 'head':
      return 'head';
    case 'turn_start':
      return `turn_start${entry.continues === undefined ? '' : ' continues'}${entry.retries === undefined ? '' : ' retries'}`;
    case 'turn_end':
      return `turn_end ${entry.status}`;
    case 'step_start':
    case 'step_end':
      return `${entry.type} ${String(entry.step)}`;
    case 'retry_start':
      return `retry_start ${entry.kind} ${String(entry.attempt)}/${String(entry.max_attempts)} ${String(entry.delay_ms)}ms`;
    case 'retry_end':
      return `retry_end ${String(entry.attempt)} ${entry.success ? 'ok' : 'failed'}`;
    case 'resume_start':
      return `resume_start ${String(entry.resume)}/${String(entry.max_resumes)} ${String(entry.delay_ms)}ms`;
    case 'approval_request':
      return `request ${entry.summary}`;
    case 'approval_decision':
      return `decision ${entry.decision}`;
    case 'queue_update':
      return `queue ${entry.items.map((item) => `${item.mode}:${item.text}`).join(',')}${entry.held === true ? ' held' : ''}`;
    default:
      return entry.type;
  }
}

function tellPart(part: Extract<Entry, { type: 'message' }>['parts'][number]): string {
  switch (part.type) {
    case 'text':
      return `"${part.text}"`;
    case 'tool_call':
      return `${part.name}(${part.raw_input ?? JSON.stringify(part.input)})`;
    case 'tool_result':
      return `${part.is_error ? 'error' : 'result'} "${part.content}"`;
    default:
      return part.type;
  }
}
