import type * as vscode from 'vscode';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Tabs, type TabsChats, type TabsParts } from '../../../../src/host/chat/tabs.js';

interface Panel {
  close: () => void;
  reveals: number;
}
const { panels, makePanel } = vi.hoisted(() => {
  const panels: Panel[] = [];
  const makePanel = () => {
    const listeners = new Set<() => void>();
    const panel = { close: () => listeners.forEach((listener) => listener()), reveals: 0 };
    panels.push(panel);
    return {
      webview: {},
      onDidChangeViewState: () => ({ dispose: () => undefined }),
      onDidDispose: (listener: () => void) => {
        listeners.add(listener);
        return { dispose: () => listeners.delete(listener) };
      },
      reveal: () => void (panel.reveals += 1),
      dispose: () => panel.close(),
    };
  };
  return { panels, makePanel };
});

vi.mock('vscode', () => ({
  Uri: { joinPath: () => ({}) },
  ViewColumn: { Active: -1 },
  window: {
    createWebviewPanel: makePanel,
  },
}));
vi.mock('../../../../src/host/chat/page.js', () => ({ openPage: () => ({}) }));

/** One tab; `come` lets the session that a turn asked for come, whenever. */
async function make() {
  const kept: string[] = [];
  const coming: (() => void)[] = [];
  const reading: ((session: string | undefined) => void)[] = [];
  const nothing = () => ({ dispose: () => undefined });
  const parts = {
    sessions: { peek: () => undefined, on: nothing },
    titleOf: () => undefined,
    freshTab: () => 'tab-1',
    onError: (error: unknown) => {
      throw error;
    },
    tabs: {
      read: () => new Promise((found) => reading.push(found)),
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
  return { tabs, tab, kept, reading, come: (index: number) => coming[index]?.() };
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

describe('a tab that a reload left', () => {
  beforeEach(() => void (panels.length = 0));

  const left = () => makePanel() as unknown as vscode.WebviewPanel;

  it('is the only one of its session, also when that is opened while it is looked up what it showed', async () => {
    const { tabs, reading } = await make();
    void tabs.restore(left(), { session: 'old', tab: 'tab-2' });
    const opened = tabs.open('b');
    reading[0]?.('b');
    await opened;
    expect(panels.map(({ reveals }) => reveals)).toEqual([0, 1]);
    expect(tabs.of('b')?.id).toBe('tab-2');
  });

  it('goes when another one shows its session by then', async () => {
    const { tabs, tab, reading, kept } = await make();
    const restored = tabs.restore(left(), { session: 'a', tab: 'tab-2' });
    reading[0]?.('a');
    await restored;
    expect(tabs.of('a')).toBe(tab);
    expect(kept).toEqual(['tab-2 forgotten']);
  });

  it('is not shown when it was closed meanwhile', async () => {
    const { tabs, reading, kept } = await make();
    const restored = tabs.restore(left(), { session: 'b', tab: 'tab-2' });
    panels[1]?.close();
    reading[0]?.(undefined);
    await restored;
    expect(tabs.of('b')).toBeUndefined();
    expect(kept).toEqual(['tab-2 forgotten']);
  });
});
