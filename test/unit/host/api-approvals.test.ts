import { describe, expect, it } from 'vitest';
import { apiSession } from '../../../src/host/api-session.js';
import type { ApprovalAnswer, BoughSession } from '../../../src/host/api.js';
import type { Entry } from '../../../src/shared/notes.js';
import { calls, text } from '../agent/fake-model.js';
import { idle, makeWorld } from './world.js';

const edit = { name: 'edit', input: { path: 'a.txt', edits: [{ old_text: 'old', new_text: 'new' }] } };

/** A turn whose edit waits for a decision. */
async function waiting() {
  const world = makeWorld([calls([edit]), text('Done.')]);
  const host = await world.sessions.open('one');
  const session = apiSession(host, { rename: () => Promise.resolve(), tag: () => Promise.resolve() });
  const turn = session.prompt('Change it').catch((error: unknown) => error);
  await idle();
  const [pending] = session.pendingApprovals();
  if (pending === undefined) throw new Error('nothing waits');
  const entries = async (): Promise<Entry[]> => (await host.agent.log.line()).map(({ entry }) => entry);
  return { session, host, turn, entries, callId: pending.callId };
}

const refusal = (session: BoughSession, answer: unknown): Promise<unknown> =>
  session.resume([answer as ApprovalAnswer]).then(
    () => 'done',
    ({ code, message }: Error & { code: string }) => `${code}: ${message}`,
  );

describe('approvals for other extensions', () => {
  it.each([
    [{ decision: 'Deny' }, 'The decision on the call "%" is "Deny"; it must be one of allow, deny.'],
    [{ decision: 'no' }, 'The decision on the call "%" is "no"; it must be one of allow, deny.'],
    [{}, 'The decision on the call "%" is undefined; it must be one of allow, deny.'],
    [
      { decision: 'allow', scope: 'forever' },
      'The scope of the decision on the call "%" is "forever"; it must be one of once, session, workspace, always.',
    ],
    [
      { decision: 'deny', scope: null },
      'The scope of the decision on the call "%" is null; it must be one of once, session, workspace, always.',
    ],
  ])('a word that is none decides nothing: %j', async (words, said) => {
    const { session, entries, callId } = await waiting();
    const told = `InvalidArgument: ${said.replace('%', callId)} Nothing was decided.`;
    expect(await refusal(session, { callId, ...words })).toBe(told);
    expect(session.pendingApprovals().map((one) => one.callId)).toEqual([callId]);
    const types = (await entries()).map(({ type }) => type);
    expect(types).not.toContain('approval_decision');
    expect(types).not.toContain('tool_start');
  });

  it('a prompt meanwhile is refused, and what waits goes on waiting', async () => {
    const { session, entries, callId } = await waiting();
    const before = await entries();
    await expect(session.prompt('And now?')).rejects.toMatchObject({
      name: 'BoughError',
      code: 'ResumeRequired',
      failure: {
        code: 'ResumeRequired',
        message: expect.stringMatching(/in Bough, or by resume/) as unknown,
      },
    });
    const abort = new AbortController();
    const refused = session.prompt('And now?', { signal: abort.signal });
    abort.abort();
    await expect(refused).rejects.toMatchObject({ code: 'ResumeRequired' });
    await idle();
    expect(await entries()).toEqual(before);
    expect((await session.resume([{ callId, decision: 'deny' }])).text).toBe('Done.');
  });

  it('a word that is one decides, once when no scope is named', async () => {
    const { session, entries, callId } = await waiting();
    expect((await session.resume([{ callId, decision: 'deny', feedback: 'No.' }])).text).toBe('Done.');
    expect((await entries()).find(({ type }) => type === 'approval_decision')).toMatchObject({
      decision: 'deny',
      scope: 'once',
    });
    expect((await entries()).some(({ type }) => type === 'tool_start')).toBe(false);
  });
});
