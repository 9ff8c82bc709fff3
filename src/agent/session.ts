/**
 * One session with, at times, a run: puts the parts together and is the one place where what the log throws becomes a
 * Failure. Lives in the extension host whatever the views do.
 */
import type { SessionLog } from '../log/store.js';
import type { Failure } from '../shared/failure.js';
import type { Intent, Mention } from '../shared/protocol.js';
import { Background } from './background.js';
import { summarizeBranch } from './compaction/branch.js';
import { estimateLine } from './compaction/compact.js';
import { runStateOf, underLease, wantedModel, type Core } from './core.js';
import { bindAgent } from './agent-bind.js';
import { addExtensionData } from './extension-data.js';
import { orFailure, refused, stackOf } from './failures.js';
import { fileDifferences, restoreFiles } from './files.js';
import { fileChanges, keepFiles } from './review.js';
import { createGate } from './gate.js';
import { goalView } from './goal-left.js';
import { goOn, mayGoOn, takeTurnEnd } from './goal-run.js';
import { Guidance } from './guidance.js';
import { setHistory } from './history.js';
import { carryOut } from './inbox.js';
import { createLeaseHold } from './lease-hold.js';
import { Live } from './live.js';
import { fitBatch } from './offload.js';
import { describe, interruptionOf, isTorn } from './recover.js';
import { approvalOf } from './mode.js';
import { lookAround } from './request.js';
import { noticeOthers, reopen, resumeTurn } from './reopen.js';
import { cleanDraft, guardBlobs, guardJournal } from './secrets.js';
import { send } from './send.js';
import { suspensionOf } from './suspended.js';
import { startOf } from './turn-terms.js';
import type { AgentParts, AgentSession } from './types.js';

const SHUTDOWN_MS = 3_000;

export function createAgentSession(log: SessionLog, parts: AgentParts): AgentSession {
  const core = createCore(log, parts);
  followLog(core);
  return {
    log,
    run: () => runStateOf(core),
    isWaiting: () => core.run?.isPaused ?? ['waiting', 'parked'].includes(runStateOf(core)),
    interrupted: () => {
      const interruption = interruptionOf(core);
      return interruption === null
        ? null
        : {
            turn_id: interruption.turn.turn_id,
            message: describe(core, interruption),
            ...(isTorn(core, interruption.turn.turn_id) ? { is_torn: true } : {}),
          };
    },
    failure: () => core.failure,
    growing: () => core.live.growing,
    dropped: () => core.live.dropped,
    progress: () => core.live.progress,
    model: () => wantedModel(core),
    mode: () => approvalOf(core).mode,
    isCompacting: () => core.isCompacting,
    goal: () => goalView(core),
    instructions: () => core.guidance.sent,
    lookAround: () => lookAround(core),
    recover: () => reopen(core),
    dispatch: async (intent, expectedHead) => {
      const unusable = usable(core);
      return unusable ?? carryOut(core, intent, expectedHead);
    },
    assign: async (task) =>
      usable(core) ??
      core.gate.pass(() => orFailure(() => send(core, promptOf(task), undefined, { origin: 'subagent' }))),
    prompt: async (text, terms, mentions) =>
      usable(core) ??
      core.gate.pass(() => orFailure(() => send(core, promptOf(text, mentions), undefined, { terms }))),
    turnStart: (turn_id) => startOf(log, turn_id),
    setHistory: async (messages) =>
      usable(core) ?? core.gate.pass(() => orFailure(() => setHistory(core, messages))),
    addExtensionData: async (ext_type, data) =>
      usable(core) ?? core.gate.pass(() => orFailure(() => addExtensionData(core, ext_type, data))),
    bindAgent: async (agent_id) =>
      usable(core) ?? core.gate.pass(() => orFailure(() => bindAgent(core, agent_id))),
    fileDifferences: (head) => fileDifferences(core, head),
    restoreFiles: async (files) => usable(core) ?? restoreFiles(core, files),
    fileChanges: (turn_id) => fileChanges(core, turn_id),
    keepFiles: async (files) => usable(core) ?? keepFiles(core, files),
    estimateTokens: () => estimateLine(core),
    summarizeBranch: (range, focus) => summarizeBranch(core, range, { focus }),
    selectModel: (provider, model_id) => selectModel(core, provider, model_id),
    settled: () => settled(core),
    on: (listener) => core.live.on(listener),
    shutdown: () => shutdown(core),
  };
}

function createCore(log: SessionLog, parts: AgentParts): Core {
  const { redact } = parts;
  const live = new Live(redact, (error) => parts.log('error', `a listener failed: ${stackOf(error)}`));
  const blobs = guardBlobs(log.blobs, redact);
  const core: Core = {
    log,
    blobs,
    journal: guardJournal(log.journal, redact),
    parts,
    live,
    gate: createGate(),
    lease: createLeaseHold(log),
    run: null,
    failure: null,
    unsaved: null,
    turnPlace: null,
    spent: null,
    isElsewhere: false,
    watch: null,
    background: new Background(),
    isCompacting: false,
    goal: { driven: null, hold: null, trouble: null, action: null, isChecked: false, isGoingOn: false },
    after: {
      mayGoOn: (turn_id) => mayGoOn(core, turn_id),
      takeEnd: (ended) => takeTurnEnd(core, ended),
      goOn: () => goOn(core),
    },
    guidance: new Guidance(parts),
    isRecovered: false,
    isClosed: false,
    append: async (batch, options) => {
      // What follows a stop is written whatever becomes of it, but not waited for for ever.
      const isLast = core.run?.signal.aborted === true;
      const clean = batch.map((draft) => cleanDraft(draft, redact));
      return log.append(await fitBatch(blobs, clean), isLast ? { ...options, isLast } : options);
    },
    announce: () => live.emit({ type: 'run', run: runStateOf(core) }),
  };
  return core;
}

/** Output that has become an entry, or whose turn is over, is no longer live; what another window appends is noticed. */
function followLog(core: Core): void {
  core.log.onAppend((placed) => {
    for (const { entry } of placed) {
      if (
        (entry.type === 'message' || entry.type === 'incomplete_output') &&
        entry.attempt_id !== undefined
      ) {
        core.live.end(entry.attempt_id);
        core.live.showDropped(null);
      }
      if (entry.type === 'turn_end') core.live.showDropped(null);
    }
    if (!core.lease.isHeld) noticeOthers(core, placed);
  });
}

const promptOf = (text: string, mentions: readonly Mention[] = []): Extract<Intent, { type: 'send' }> => ({
  type: 'send',
  text,
  mentions: [...mentions],
  mode: 'send',
  only_now: true,
});

/** The codes with which the log itself refuses an append. */
const readOnlyCodes = {
  newer: 'NewerFormat',
  'version-3': 'AccessDenied',
  unreadable: 'LogDamaged',
  missing: 'SessionNotFound',
  archived: 'SessionArchived',
  elsewhere: 'AccessDenied',
} as const;

/** Why no intent can be carried out; null when one can. */
function usable(core: Core): Failure | null {
  if (core.isClosed) return refused('SessionStale', 'This session is being closed.');
  const { access } = core.log;
  switch (access.mode) {
    case 'write':
      return null;
    case 'read-only':
      return refused(readOnlyCodes[access.reason], access.message);
    case 'stale':
    case 'poisoned':
      return {
        kind: 'storage',
        code: 'SessionStale',
        message: access.message,
        transient: false,
        action: 'reopen',
      };
  }
}

/** A wait that a server asked for is left when another model is chosen: its server asked for nothing. */
function selectModel(core: Core, provider: string, model_id: string): Promise<void | Failure> {
  return core.gate.pass(() =>
    orFailure(async () => {
      const unusable = usable(core);
      if (unusable !== null) return unusable;
      const before = wantedModel(core);
      return underLease(core, async () => {
        await core.append([{ type: 'model_change', provider, model_id }]);
        if (before === wantedModel(core)) return;
        const { turn } = core.log.state();
        if (core.run?.wait) core.run.wait.skip();
        else if (turn !== null && suspensionOf(core) === 'parked') {
          await resumeTurn(core, turn.turn_id, await core.lease.hold(), { at: 'log' });
        }
      });
    }),
  );
}

/** A queued prompt that follows a turn belongs to it. */
async function settled(core: Core): Promise<void> {
  for (let run = core.run; run !== null; run = core.run) await run.done;
}

async function shutdown(core: Core): Promise<void> {
  core.isClosed = true;
  core.watch?.dispose();
  core.run?.stop('closed');
  core.background.endAll();
  const done = Promise.all([settled(core), core.gate.pass(() => Promise.resolve())]);
  await new Promise<void>((resolve) => {
    const timer = core.parts.clock.after(SHUTDOWN_MS, resolve);
    const end = (): void => {
      timer.dispose();
      resolve();
    };
    done.then(end, end);
  });
}
