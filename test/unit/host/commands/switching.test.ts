import { describe, expect, it, vi } from 'vitest';
import type { AgentSession } from '../../../../src/agent/types.js';
import { switchTo } from '../../../../src/host/commands/switching.js';
import type { Teller } from '../../../../src/host/tell.js';
import { OutlineFlag, type OutlineNode } from '../../../../src/shared/fold/types.js';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

const running = {
  kind: 'refused',
  code: 'SessionRunning',
  message: 'A turn is running here.',
  transient: false,
};
/** A session in which `turn` is open on the last of its prompts. */
function make() {
  const done: string[] = [];
  const outline: OutlineNode[] = [];
  let turn: string | null = null;
  const begin = (id: string) => {
    outline.push([`prompt of ${id}`, outline.length - 1, 'message', OutlineFlag.user, id]);
    turn = id;
  };
  const end = () => (turn = null);
  const dispatch = ({ type }: { type: string }) => {
    if (type !== 'stop' && turn !== null) return Promise.resolve(running);
    done.push(type);
    if (type === 'stop') end();
    return Promise.resolve({});
  };
  const log = {
    outline,
    get head() {
      return outline.at(-1)?.[0] ?? null;
    },
    state: () => ({ turn: turn === null ? null : { turn_id: turn } }),
  };
  const buttons: (() => Promise<void>)[] = [];
  const tell = {
    warn: (_: string, given: Record<string, () => Promise<void>>) => buttons.push(...Object.values(given)),
  };
  const ask = async () => {
    await switchTo({
      agent: { log, dispatch } as unknown as AgentSession,
      intent: { type: 'undo' },
      tell: tell as unknown as Teller,
    });
    const [press] = buttons;
    if (press === undefined) throw new Error('nothing was offered');
    return press;
  };
  return { begin, end, ask, done };
}

describe('Stop and Switch', () => {
  it('stops the turn that was in the way and goes', async () => {
    const { begin, ask, done } = make();
    begin('one');
    await (
      await ask()
    )();
    expect(done).toEqual(['stop', 'undo']);
  });

  it('goes when that turn has ended by itself', async () => {
    const { begin, end, ask, done } = make();
    begin('one');
    const press = await ask();
    end();
    await press();
    expect(done).toContain('undo');
  });

  it.each(['runs', 'has ended'])('touches no turn that began since, which %s', async (how) => {
    const { begin, end, ask, done } = make();
    begin('one');
    const press = await ask();
    end();
    begin('two');
    if (how === 'has ended') end();
    await expect(press()).rejects.toThrow('This conversation went on since then.');
    expect(done).toEqual([]);
  });
});
