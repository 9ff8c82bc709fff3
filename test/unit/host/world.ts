/** The host's own parts around a real agent and a real store in memory; model, clock and view are faked. */
import { createAgentSession } from '../../../src/agent/session.js';
import type { AgentParts } from '../../../src/agent/types.js';
import { Channel } from '../../../src/host/chat/channel.js';
import { withBrought } from '../../../src/host/chat/drafts.js';
import { createSignal, type Signal } from '../../../src/host/disposables.js';
import { SessionRetries } from '../../../src/host/model/session-retries.js';
import { readAgentSettings } from '../../../src/host/model/settings.js';
import { OpenSessions } from '../../../src/host/sessions/open-sessions.js';
import { HostSession } from '../../../src/host/sessions/session.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import type { SessionLog, SessionStore, StoreAbilities } from '../../../src/log/store.js';
import type { Ids } from '../../../src/ports.js';
import type { Intent, Snapshot, ToWebview, UiCommand } from '../../../src/shared/protocol.js';
import { createTools } from '../../../src/tools/index.js';
import { FakeClock, idle } from '../agent/fake-clock.js';
import { FakeModel, type Reply } from '../agent/fake-model.js';
import { fakeWorkspace } from '../tools/fake-workspace.js';

export { idle };

export interface World {
  clock: FakeClock;
  model: FakeModel;
  store: SessionStore;
  sessions: OpenSessions;
  /** Fires when settings, keys or offered models change. */
  models: Signal<void>;
  /** Policies that count over the settings. */
  retries: SessionRetries;
  facts: Signal<void>;
  errors: unknown[];
}

/** @param around what sessions are opened through: the store itself, or something about it */
export function makeWorld(
  script: readonly Reply[] = [],
  settings: Record<string, unknown> = {},
  around: (store: SessionStore & StoreAbilities) => SessionStore = (store) => store,
): World {
  const clock = new FakeClock();
  const ids = countingIds();
  const model = new FakeModel(clock, script);
  const store = createMemoryStore({ clock, ids, producer: 'bough/test' });
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const [models, facts] = [createSignal<void>(onError), createSignal<void>(onError)];
  const retries = new SessionRetries();
  const read = (name: string) => settings[name];
  const parts: AgentParts = {
    models: model,
    tools: createTools(),
    workspace: fakeWorkspace({ files: { 'a.txt': 'old\n' } }),
    clock,
    ids,
    settings: () => readAgentSettings(read),
    redact: { keys: (text) => text, tokens: (text) => text, begun: () => 0 },
    rules: { allows: () => false, describe: ({ subject }) => subject, remember: () => Promise.resolve(null) },
    surroundings: () =>
      Promise.resolve({ system: 'Linux', shell: 'sh', date: '2026-01-01', instructions: [] }),
    random: () => 0.5,
    log: () => undefined,
  };
  const create = (log: SessionLog) =>
    new HostSession({
      agent: createAgentSession(log, {
        ...parts,
        settings: () => retries.over(log.id, readAgentSettings(read)),
      }),
      isEphemeral: false,
      facts: {
        place: () => 'ready',
        sendOn: () => 'enter',
        notices: () => [],
        suggestions: () => [],
        onChange: (listener) => facts.on(listener),
        onInstructions: () => ({ dispose: () => undefined }),
      },
      resolveModel: (wanted) => model.resolve(wanted),
      onModels: (listener) => models.on(listener),
      onError,
    });
  const sessions = new OpenSessions({ store: around(store), folder: 'file:///sample', create, onError });
  return { clock, model, store, sessions, models, retries, facts, errors };
}

export interface View {
  channel: Channel;
  /** Everything that was sent to it, oldest first. */
  sent: ToWebview[];
  commands: { command: UiCommand; session: string }[];
  drafts: Map<string, Snapshot['draft']>;
  /** What the reading of a draft, and so a snapshot, waits for. */
  reading: () => Promise<void>;
  log: string[];
  open(): Promise<void>;
  /** Sends an intent and gives its reply. */
  intend(intent: Intent, expectedHead?: string | null): Promise<Extract<ToWebview, { type: 'reply' }>>;
  request(message: Record<string, unknown>): Promise<Extract<ToWebview, { type: 'reply' }>>;
  of<T extends ToWebview['type']>(type: T): Extract<ToWebview, { type: T }>[];
}

export function makeView(
  world: World,
  command: (command: UiCommand) => Promise<unknown> = () => Promise.resolve(),
): View {
  const sent: ToWebview[] = [];
  const log: string[] = [];
  const commands: View['commands'] = [];
  const drafts: View['drafts'] = new Map();
  let lastId = 0;
  const channel = new Channel({
    post: (message) => sent.push(structuredClone(message)),
    clock: world.clock,
    command: (what, session) => {
      commands.push({ command: what, session });
      return command(what);
    },
    context: {
      mentions: (query) => Promise.resolve([{ kind: 'file', label: `${query}.ts`, path: `${query}.ts` }]),
      symbols: () => Promise.resolve([]),
      mention: ({ kind, label }) => Promise.resolve({ kind, label, text: 'as it is now' }),
      slash: () => Promise.resolve([]),
      expand: (name) => Promise.resolve(`text of ${name}`),
    },
    paths: (uris) =>
      Promise.resolve(
        uris.map((uri) => ({ path: uri.replace('file:///sample/', ''), kind: 'file' as const })),
      ),
    drafts: {
      read: async (session) => {
        await view.reading();
        return drafts.get(session) ?? { text: '', editing: null };
      },
      write: (session, draft) => void drafts.set(session, draft),
    },
    onFocus: () => undefined,
    bringBack: (session, { text, mentions }) => {
      drafts.set(
        session,
        withBrought(drafts.get(session) ?? { text: '', editing: null }, { text, mentions }),
      );
      return Promise.resolve();
    },
    onIntent: ({ session, intent, failure, seen }) =>
      world.sessions.peek(session)?.takeIntent(intent, failure, seen),
    log: (level, text) => log.push(`${level}: ${text}`),
  });
  const view: View = {
    ...{ channel, sent, commands, drafts, log },
    reading: () => Promise.resolve(),
    open: async () => {
      channel.receive({ type: 'open' });
      await idle();
    },
    intend: (intent, expectedHead) =>
      view.request({
        type: 'intent',
        intent,
        ...(expectedHead === undefined ? {} : { expected_head: expectedHead }),
      }),
    request: async (message) => {
      const id = ++lastId;
      channel.receive({ ...message, id });
      await idle();
      const reply = view.of('reply').find((found) => found.id === id);
      if (!reply) throw new Error(`no reply to ${JSON.stringify(message)}`);
      return reply;
    },
    of: <T extends ToWebview['type']>(type: T) =>
      sent.filter((message): message is Extract<ToWebview, { type: T }> => message.type === type),
  };
  return view;
}

/** Random ones would make failures hard to read. */
function countingIds(): Ids {
  let last = 0;
  return { entry: () => (++last).toString(16).padStart(16, '0'), session: () => `s${++last}` };
}

export const send = (text: string): Intent => ({ type: 'send', text, mentions: [], mode: 'send' });
