import { describe, expect, it } from 'vitest';
import { activeSession, sideBarSurface, tabSessions } from '../../../../src/host/sessions/active.js';

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

describe('the side bar of a further window on the same folder', () => {
  it.each([
    ['/data/User/workspaceStorage/3c72615/bough.bough', 'vscode:folder-1'],
    ['/data/User/workspaceStorage/3c72615-1/bough.bough', 'vscode:folder-1:t:window-1'],
    ['c:\\Data\\workspaceStorage\\3c72615-12\\bough.bough', 'vscode:folder-1:t:window-12'],
    ['/data-1/User/workspaceStorage/3c72615/bough.bough', 'vscode:folder-1'],
    [undefined, 'vscode:folder-1'],
  ])('%s is the surface %s', (storage, surface) => {
    expect(sideBarSurface('folder-1', storage).surface).toBe(surface);
  });

  it('begins with what the first one shows, and then has its own', async () => {
    const kept = new Map([['vscode:folder-1', 'a']]);
    const open = (storage: string) => {
      const { surface, ...before } = sideBarSurface('folder-1', storage);
      return activeSession(surface, {
        ...before,
        surfaces: {
          get: (name) => Promise.resolve(kept.get(name)),
          set: (name, session) => Promise.resolve(void kept.set(name, session)),
        },
        store: {
          list: () => Promise.resolve({ sessions: [] }),
          summary: () => Promise.resolve(undefined),
          isKept: () => true,
          fileOf: () => undefined,
          recall: () => Promise.resolve(),
        },
        freshId: () => 'fresh',
        isContinued: () => true,
        onTrouble: () => undefined,
      });
    };
    const [first, second] = [open('/s/3c/b'), open('/s/3c-1/b')];
    expect(await second.read()).toBe('a');
    await second.write('b');
    expect(await Promise.all([first.read(), second.read()])).toEqual(['a', 'b']);
  });
});
