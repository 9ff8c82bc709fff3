/** A session as other extensions get it. What moves or changes the conversation appends to its log, as a person's click does. */
import { isOurs } from '../agent/extension-data.js';
import type { Outcome } from '../ports.js';
import { BoughError, isFailure } from '../shared/failure.js';
import type { Intent } from '../shared/protocol.js';
import { pendingApprovals, resume } from './api-approvals.js';
import { thrown } from './api-errors.js';
import { givenHistory, readHistory } from './api-history.js';
import { readEntries, readExtensionData, runSummary } from './api-log.js';
import { routeOf } from './api-routes.js';
import { prompt } from './api-turn.js';
import type { BoughSession } from './api.js';
import type { HostSession } from './sessions/session.js';

export interface ApiSessionParts {
  rename: (id: string, name: string) => Promise<void>;
  tag: (id: string, tags: readonly string[]) => Promise<void>;
}

const orThrow = async <T>(work: Promise<Outcome<T>>): Promise<T> => {
  const outcome = await work;
  if (isFailure(outcome)) throw thrown(outcome);
  return outcome;
};

/** Other extensions are not held to our types. */
function asText(what: string, given: unknown): string {
  if (typeof given === 'string') return given;
  throw new BoughError(
    'InvalidArgument',
    `${what} must be a text, not ${given === null ? 'null' : typeof given}.`,
  );
}

function asTexts(what: string, given: unknown): string[] {
  if (Array.isArray(given)) return given.map((one, index) => asText(`${what}, ${index + 1}`, one));
  throw new BoughError('InvalidArgument', `${what} must be an array of texts.`);
}

export function apiSession(session: HostSession, parts: ApiSessionParts): BoughSession {
  const { agent } = session;
  const { log } = agent;
  const done = (intent: Intent): Promise<{ entry_id?: string }> => orThrow(agent.dispatch(intent));
  return {
    id: log.id,
    get path() {
      return log.position > 0 ? log.file : undefined;
    },
    get model() {
      return agent.model();
    },
    get title() {
      return session.title();
    },
    get head() {
      return log.head;
    },
    get position() {
      return log.position;
    },
    get agentId() {
      return log.state().agent_id;
    },
    runState: () => agent.run(),
    runSummary: () => runSummary(log),
    prompt: async (text, options) => prompt(agent, asText('The prompt', text), options),
    turnRoute: async (turnId) => routeOf(await agent.turnStart(turnId)),
    branch: async (entryId) => void (await done({ type: 'navigate', entry_id: entryId })),
    navigate: async (entryId) => void (await done({ type: 'navigate', entry_id: entryId })),
    summarizeBranch: (from_id, to_id, options) =>
      orThrow(agent.summarizeBranch({ from_id, to_id }, options?.focus)),
    collapseBranch: async (from_id, to_id, options) => {
      const summary = await done({ type: 'collapse', from_id, to_id, ...options });
      return summary.entry_id ?? '';
    },
    setName: async (name) => parts.rename(log.id, asText('The name', name)),
    get tags() {
      return [...log.state().tags];
    },
    setTags: async (tags) => parts.tag(log.id, asTexts('The tags', tags)),
    bindAgent: async (agentId) =>
      void (await orThrow(agent.bindAgent(asText('The id of an agent', agentId)))),
    clear: async () => void (await done({ type: 'clear' })),
    history: () => readHistory(log),
    entries: (options) => readEntries(log, options),
    setHistory: async (messages) => void (await orThrow(agent.setHistory(givenHistory(messages)))),
    extensionData: {
      get: async (type) =>
        (await readExtensionData(log)).flatMap((one) => (one.type === type ? [one.data] : [])),
      all: async () => (await readExtensionData(log)).filter(({ type }) => !isOurs(type)),
      add: async (type, data) =>
        void (await orThrow(agent.addExtensionData(asText('The type of data', type), data))),
    },
    pendingApprovals: () => pendingApprovals(agent),
    resume: (answers, options) => resume(agent, answers, options?.signal),
    dismiss: async () => void (await done({ type: 'dismiss' })),
  };
}
