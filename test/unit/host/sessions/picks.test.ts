import { describe, expect, it, vi } from 'vitest';
import type { QuickPickItem } from 'vscode';
import { sessionCommands, type SessionCommandParts } from '../../../../src/host/commands/session.js';
import { pickSession, type PickParts } from '../../../../src/host/sessions/pick.js';
import { noFilter, pickFilter } from '../../../../src/host/sessions/tree-filter.js';
import { idle } from '../world.js';

const asked = vi.hoisted(() => ({
  quick: undefined as unknown as { type: (text: string) => void; items: QuickPickItem[]; accept: () => void },
  isOpen: false,
  validate: (text: string): unknown => text,
}));

vi.mock('vscode', () => ({
  l10n: { t: (text: string, ...args: unknown[]) => text.replace('{0}', String(args[0])) },
  env: { language: 'en' },
  Uri: { parse: (text: string) => text, file: (text: string) => text },
  EventEmitter: class {},
  ThemeIcon: class {},
  QuickPickItemKind: { Separator: -1 },
  window: {
    createQuickPick: () => {
      let onValue = (_: string): void => undefined;
      let onAccept = (): void => undefined;
      let onHide = (): void => undefined;
      const quick = {
        ...{ items: [] as QuickPickItem[], selectedItems: [] as QuickPickItem[], value: '', busy: false },
        onDidChangeValue: (listener: typeof onValue) => (onValue = listener),
        onDidAccept: (listener: typeof onAccept) => (onAccept = listener),
        onDidHide: (listener: typeof onHide) => (onHide = listener),
        show: () => (asked.isOpen = true),
        hide: () => {
          asked.isOpen = false;
          onHide();
        },
        dispose: () => undefined,
        type: (text: string) => onValue((quick.value = text)),
        accept: () => {
          quick.selectedItems = quick.items.slice(-1);
          onAccept();
        },
      };
      asked.quick = quick;
      return quick;
    },
    showInputBox: ({ validateInput }: { validateInput: (text: string) => unknown }) => {
      asked.validate = validateInput;
      return Promise.resolve(undefined);
    },
  },
}));

const always = () => asked.quick.items.filter(({ alwaysShow }) => alwaysShow).map(({ label }) => label);

describe('boxes that ask for a session', () => {
  it('the filter keeps its fixed choices that are typed beside the search for that text', async () => {
    const chosen = pickFilter(noFilter);
    asked.quick.type('Archived');
    expect(always()).toEqual(['Title or text has “Archived”', 'Without archived', 'Archived only']);
    asked.quick.type('shop');
    expect(always()).toEqual(['Title or text has “shop”']);
    asked.quick.type('archived o');
    asked.quick.accept();
    expect(await chosen).toEqual({ archived: true, text: '' });
  });

  it('a switch that finds nothing says so in a row, which is no session', async () => {
    const row = { id: 'one', title: 'Write a parser', status: 'idle', updated: 0, archived: false };
    const parts = {
      store: { list: () => Promise.resolve({ sessions: [row] }), isEphemeral: () => false },
      sessions: { peekReadable: () => undefined },
      now: () => 0,
      current: 'other',
    } as unknown as PickParts;
    const chosen = pickSession(parts);
    await idle();
    asked.quick.type('no such words');
    expect(always()).toEqual(['No title has “no such words” in it']);
    asked.quick.accept();
    expect(asked.isOpen).toBe(true);
    asked.quick.type('PARSER');
    expect(always()).toEqual([]);
    asked.quick.accept();
    expect(await chosen).toMatchObject({ id: 'one' });
  });

  it('the box for a name says itself that it must not be blank', async () => {
    const parts = {
      targets: {},
      sessions: {
        open: () => Promise.resolve({ title: () => 'Mine' }),
        troubleOf: () => undefined,
      },
    } as unknown as SessionCommandParts;
    await sessionCommands(parts)['bough.session.rename']('one');
    expect(asked.validate('  ')).toBe('The name of a session must not be blank.');
    expect(asked.validate('Yours')).toBeUndefined();
  });
});
