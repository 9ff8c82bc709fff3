import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import type { SessionSummary } from '../../../../src/log/store.js';
import { SessionsTree, type SessionsTreeParts } from '../../../../src/host/sessions/tree.js';
import type { TreeNode } from '../../../../src/host/sessions/tree-node.js';
import { registerSessionsView } from '../../../../src/host/sessions/view.js';

const shown = vi.hoisted((): { provider?: unknown; reveal: (node: unknown) => Promise<void> } => ({
  reveal: () => Promise.resolve(),
}));

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  env: { language: 'en' },
  Uri: { parse: (text: string) => text },
  EventEmitter: class {
    private readonly listeners: ((value: unknown) => void)[] = [];
    readonly event = (listener: (value: unknown) => void) => {
      this.listeners.push(listener);
      return { dispose: () => undefined };
    };
    fire(value: unknown): void {
      for (const listener of this.listeners) listener(value);
    }
    dispose(): void {}
  },
  commands: { executeCommand: () => Promise.resolve() },
  window: {
    registerFileDecorationProvider: () => ({ dispose: () => undefined }),
    createTreeView: (_: string, { treeDataProvider }: { treeDataProvider: unknown }) => {
      shown.provider = treeDataProvider;
      return { reveal: (node: unknown) => shown.reveal(node), dispose: () => undefined };
    },
  },
}));

const row = (id: string): SessionSummary => ({
  ...{ id, title: id, named: true, folder: undefined, created: 0, updated: 0, said: 0, size: 0, messages: 1 },
  ...{ leaves: 1, archived: false, tags: [], owner: undefined, status: 'idle' },
});
const nothing = () => ({ dispose: () => undefined });

/** 60 sessions, 50 to a page. */
function make() {
  const clock = { now: 0 };
  const list = { fails: false };
  const all = Array.from({ length: 60 }, (_, index) => row(`s${index}`));
  const store = {
    onChange: nothing,
    failing: [],
    reading: { left: 0 },
    list: ({ cursor }: { cursor?: string }) => {
      if (list.fails) return Promise.reject(new Error('The disk is gone.'));
      return Promise.resolve(
        cursor === undefined ? { sessions: all.slice(0, 50), cursor: '50' } : { sessions: all.slice(50) },
      );
    },
  };
  const sessions = { on: nothing, peek: () => undefined };
  const parts = {
    ...{ store, sessions, shown: () => undefined, isVisible: () => true },
    ...{ now: () => clock.now, onError: () => undefined },
  };
  const tree = new SessionsTree(parts as unknown as SessionsTreeParts);
  const errors: unknown[] = [];
  registerSessionsView(
    () => Promise.resolve({ tree }),
    (error) => errors.push(error),
  );
  return { tree, clock, list, errors, provider: shown.provider as vscode.TreeDataProvider<TreeNode> };
}

describe('the list of sessions after Show More', () => {
  const reveal = vi.fn((_: unknown) => Promise.resolve());
  beforeEach(() => {
    vi.useFakeTimers();
    shown.reveal = reveal.mockReset().mockResolvedValue(undefined);
  });
  afterEach(() => void vi.useRealTimers());

  it('goes on with the first of the rows that came', async () => {
    const { tree, provider } = make();
    await provider.getChildren();
    tree.showMore();
    await provider.getChildren();
    expect(reveal.mock.calls).toMatchObject([[{ kind: 'session', summary: { id: 's50' } }]]);
  });

  it('leaves the keyboard where it is when they came late', async () => {
    const { tree, clock, provider } = make();
    await provider.getChildren();
    tree.showMore();
    clock.now += 5000;
    await provider.getChildren();
    expect(reveal).not.toHaveBeenCalled();
  });

  it('leaves the keyboard where it is when reading them failed and any later reading has them', async () => {
    const { tree, list, provider } = make();
    await provider.getChildren();
    tree.showMore();
    list.fails = true;
    await expect(provider.getChildren()).rejects.toThrow('The disk is gone.');
    list.fails = false;
    await provider.getChildren();
    expect(reveal).not.toHaveBeenCalled();
  });

  it('tells of a row that could not be shown', async () => {
    const { tree, provider, errors } = make();
    const gone = new Error('TreeError: no such row');
    reveal.mockRejectedValue(gone);
    await provider.getChildren();
    tree.showMore();
    await provider.getChildren();
    expect(errors).toEqual([gone]);
  });
});
