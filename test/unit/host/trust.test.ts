import { describe, expect, it } from 'vitest';
import { underTrust } from '../../../src/host/trust.js';
import { text } from '../agent/fake-model.js';
import { makeWorld, send } from './world.js';

describe('Restricted Mode', () => {
  it('nothing is sent and nothing is written; with trust it goes on', async () => {
    const world = makeWorld([text('Yes.')]);
    let isTrusted = false;
    const agent = underTrust((await world.sessions.open('one')).agent, () => isTrusted);
    for (const intent of [
      send('Hello'),
      { type: 'continue' },
      { type: 'try_again' },
      { type: 'retry_now' },
    ] as const) {
      expect(await agent.dispatch(intent)).toMatchObject({ kind: 'refused', code: 'Untrusted' });
    }
    expect(agent.log.position).toBe(0);
    expect(world.model.asked).toEqual([]);
    expect(await agent.dispatch({ type: 'stop' })).toEqual({});
    isTrusted = true;
    expect(await agent.dispatch(send('Hello'))).toHaveProperty('entry_id');
    await agent.settled();
    expect(world.model.asked).toHaveLength(1);
  });
});
