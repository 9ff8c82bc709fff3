import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Tabs, type TabsChats, type TabsParts } from '../../../../src/host/chat/tabs.js';

const panels = vi.hoisted((): { close: () => void }[] => []);

vi.mock('vscode', () => ({
  Uri: { joinPath: () => ({}) },
  ViewColumn: { Active: -1 },
  window: {
    createWebviewPanel: () => {
      let onClose = (): void => undefined;
      panels.push({ close: () => onClose() });
      return {
        webview: {},
        onDidChangeViewState: () => ({ dispose: () => undefined }),
        onDidDispose: (listener: () => void) => (onClose = listener),
      };
    },
  },
}));
vi.mock('../../../../src/host/chat/page.js', () => ({ openPage: () => ({}) }));

/** One tab; `come` lets the session that a turn asked for come, whenever. */
async function make() {
  const kept: string[] = [];
  const coming: (() => void)[] = [];
  const nothing = () => ({ dispose: () => undefined });
  const parts = {
    sessions: { peek: () => undefined, on: nothing },
    titleOf: () => undefined,
    freshTab: () => 'tab-1',
    onError: (error: unknown) => {
      throw error;
    },
    tabs: {
      write: (tab: string, session: string) => Promise.resolve(void kept.push(`${tab} ${session}`)),
      forget: (tab: string) => Promise.resolve(void kept.push(`${tab} forgotten`)),
    },
  };
  let isHeld = false;
  const opened = { title: () => '' };
  const present = () =>
    isHeld ? new Promise((done) => coming.push(() => done(opened))) : Promise.resolve(opened);
  const chats = {
    connect: () => ({ present, dispose: () => undefined }),
    coming: () => ({}),
    onActive: () => undefined,
    onChange: () => undefined,
  };
  const tabs = new Tabs(parts as unknown as TabsParts, chats as unknown as TabsChats);
  await tabs.open('a');
  isHeld = true;
  const tab = tabs.of('a');
  if (tab === undefined) throw new Error('no tab');
  return { tabs, tab, kept, come: (index: number) => coming[index]?.() };
}

describe('which session a tab comes back to', () => {
  beforeEach(() => void (panels.length = 0));

  it('is the one that it was turned to', async () => {
    const { tabs, tab, kept, come } = await make();
    const turned = tabs.turn(tab, 'b');
    come(0);
    await turned;
    expect(kept).toEqual(['tab-1 b']);
  });

  it('is the one that it was turned to last, in whatever order they come', async () => {
    const { tabs, tab, kept, come } = await make();
    const [first, second] = [tabs.turn(tab, 'b'), tabs.turn(tab, 'c')];
    come(1);
    await second;
    come(0);
    await first;
    expect(kept).toEqual(['tab-1 c']);
  });

  it('is none once it was closed', async () => {
    const { tabs, tab, kept, come } = await make();
    const turned = tabs.turn(tab, 'b');
    panels[0]?.close();
    come(0);
    await turned;
    expect(kept).toEqual(['tab-1 forgotten']);
  });
});
