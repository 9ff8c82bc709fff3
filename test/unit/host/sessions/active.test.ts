import { describe, expect, it } from 'vitest';
import { tabSessions } from '../../../../src/host/sessions/active.js';

function make(isKept = true) {
  const kept = new Map<string, string>();
  const tabs = tabSessions('folder-1', {
    surfaces: {
      get: (surface) => Promise.resolve(kept.get(surface)),
      set: (surface, session) => {
        if (session === undefined) kept.delete(surface);
        else kept.set(surface, session);
        return Promise.resolve();
      },
    },
    store: { isKept: () => isKept, fileOf: () => undefined },
  });
  return { kept, tabs };
}

describe('the session of an editor tab', () => {
  it('is kept under the tab’s own delivery id, beside that of the side bar', async () => {
    const { kept, tabs } = make();
    kept.set('vscode:folder-1', 'of the side bar');
    await tabs.write('t1', 'a');
    await tabs.write('t2', 'b');
    expect(await Promise.all([tabs.read('t1'), tabs.read('t2'), tabs.read('t3')])).toEqual([
      'a',
      'b',
      undefined,
    ]);
    expect([...kept]).toEqual([
      ['vscode:folder-1', 'of the side bar'],
      ['vscode:folder-1:t:t1', 'a'],
      ['vscode:folder-1:t:t2', 'b'],
    ]);
  });

  it('is forgotten with the tab', async () => {
    const { kept, tabs } = make();
    await tabs.write('t1', 'a');
    await tabs.forget('t1');
    await tabs.forget('t2');
    expect([...kept]).toEqual([]);
  });

  it('is not kept when it is in memory only', async () => {
    const { kept, tabs } = make(false);
    await tabs.write('t1', 'a');
    expect([...kept]).toEqual([]);
  });
});
