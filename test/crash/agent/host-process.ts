/**
 * One extension host of the crash test: opens the session in the folder it is given and does what a person would – sends
 * the prompt, approves, continues – until the turn has come to the end of its script. Says what was acknowledged.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createAgentSession } from '../../../src/agent/session.js';
import { defaultPolicy } from '../../../src/agent/retry.js';
import type { AgentSession } from '../../../src/agent/types.js';
import { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Clock } from '../../../src/ports.js';
import { isFailure } from '../../../src/shared/failure.js';
import type { Intent } from '../../../src/shared/protocol.js';
import { ASKS, Effects, folderWorkspace, scriptedModel, scriptedTools } from './scripted.js';

const [folder = ''] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};
const ids = { entry: () => randomBytes(8).toString('hex'), session: () => 'played' };

const store = new FileStore({
  folder,
  files: createNodeFiles(),
  clock,
  ids,
  locks: new LockTable(),
  who: { window: 'crash', pid: process.pid, host: os.hostname() },
  producer: 'bough/0.0.0-test',
  onTrouble: (error) => say(`trouble ${error.message}`),
});
const log = await store.openOrCreate('played');
// Acknowledged is what a listener was told: from then on the person sees it.
log.onAppend((placed) => placed.forEach(({ entry }) => say(`ack ${entry.id}`)));

const session: AgentSession = createAgentSession(log, {
  models: { resolve: () => Promise.resolve(scriptedModel), list: () => Promise.resolve([]) },
  tools: scriptedTools(new Effects(folder)),
  workspace: folderWorkspace(path.join(folder, 'files')),
  clock,
  ids,
  settings: () => ({
    retry: defaultPolicy,
    idleTimeout: 60_000,
    compactAt: 0.92,
    keepRecentTokens: 20_000,
    offloadBytes: 50_000,
    maxSteps: 200,
    maxContinuations: 30,
    maxCost: 0,
    maxDuration: 0,
    model: 'script/play',
  }),
  redact: { keys: (text) => text, tokens: (text) => text, begun: () => 0 },
  rules: {
    allows: ({ subject }) => !ASKS.test(subject),
    describe: ({ subject }) => subject,
    remember: () => Promise.resolve(null),
  },
  surroundings: () => Promise.resolve({ system: 'test', shell: 'sh', date: '2026-01-01', instructions: [] }),
  random: Math.random,
  log: (level, text) => say(`log ${level} ${text}`),
});

// What was shown of a stream, and when: all but its last second must outlive this process.
session.on((event) => {
  const growing = session.growing();
  if (event.type === 'growing' && growing !== null) {
    say(`grew ${growing.attempt_id} ${String(growing.text.length)} ${String(Math.round(clock.elapsed()))}`);
  }
});

/** What the person would do now; null when there is nothing left to do. */
function nextIntent(): Intent | null {
  const [approval] = log.state().approvals;
  if (approval !== undefined)
    return { type: 'decide', call_id: approval.call_id, decision: 'allow', scope: 'once' };
  if (log.position === 0) return { type: 'send', text: 'play the script', mentions: [], mode: 'send' };
  return session.interrupted() === null ? null : { type: 'continue' };
}

await session.recover();
say('open');
for (;;) {
  await session.settled();
  const intent = nextIntent();
  if (intent === null) break;
  const result = await session.dispatch(intent);
  if (isFailure(result)) throw new Error(`${intent.type} was refused: ${JSON.stringify(result)}`);
  say(`did ${intent.type}`);
}
await session.shutdown();
await store.close();
say('finished');
