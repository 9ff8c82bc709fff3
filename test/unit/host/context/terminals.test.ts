/** The selection of a terminal is read over the clipboard, and what that held is not lost. */
import { beforeEach, expect, it, vi } from 'vitest';
import { watchTerminals } from '../../../../src/host/context/terminals.js';

/** A picture is no text: it reads as '' and goes with the first text that is written. */
const board = vi.hoisted(() => ({ text: '', hasPicture: false, selected: '', isBroken: false, uiKind: 1 }));

vi.mock('vscode', () => {
  const write = (text: string): Promise<void> => {
    Object.assign(board, { text, hasPicture: false });
    return Promise.resolve();
  };
  const nothing = { dispose: () => undefined };
  return {
    UIKind: { Desktop: 1, Web: 2 },
    Disposable: { from: () => nothing },
    commands: {
      executeCommand: async () => {
        if (board.isBroken) throw new Error('no terminal');
        if (board.selected !== '') await write(board.selected);
      },
    },
    env: {
      get uiKind() {
        return board.uiKind;
      },
      clipboard: { readText: () => Promise.resolve(board.text), writeText: write },
    },
    window: {
      activeTerminal: { name: 'zsh' },
      terminals: [{}],
      onDidStartTerminalShellExecution: () => nothing,
      onDidEndTerminalShellExecution: () => nothing,
    },
  };
});

const selection = async () =>
  watchTerminals((error) => {
    throw error;
  }).selectionOrLast();

beforeEach(() => {
  Object.assign(board, { text: '', hasPicture: false, selected: '', isBroken: false, uiKind: 1 });
});

it('gives back the text that the clipboard held', async () => {
  Object.assign(board, { text: 'mine', selected: 'npm test' });
  expect(await selection()).toMatchObject({ label: 'Selection in zsh', text: 'npm test' });
  expect(board.text).toBe('mine');
});

it('takes no text of the clipboard for a selection, and gives it back when copying fails', async () => {
  board.text = 'mine';
  await expect(selection()).rejects.toThrow('No command was seen');
  board.isBroken = true;
  await expect(selection()).rejects.toThrow('no terminal');
  expect(board.text).toBe('mine');
});

it('leaves a picture in the clipboard where nothing is selected', async () => {
  board.hasPicture = true;
  await expect(selection()).rejects.toThrow('No command was seen');
  expect(board.hasPicture).toBe(true);
});

it('leaves what was copied instead of nothing where the clipboard held no text', async () => {
  Object.assign(board, { hasPicture: true, selected: 'npm test' });
  expect(await selection()).toMatchObject({ text: 'npm test' });
  expect(board.text).toBe('npm test');
});

it('in a browser, which would ask for the clipboard, takes the last command only', async () => {
  Object.assign(board, { uiKind: 2, selected: 'npm test', text: 'mine' });
  await expect(selection()).rejects.toThrow('No command was seen');
  expect(board.text).toBe('mine');
});
