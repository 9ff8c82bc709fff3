import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { Commands } from '../../../src/host/commands/commands.js';
import { refuseLostRows } from '../../../src/host/commands/lost-row.js';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

const row = { kind: 'session', summary: { id: 'y' } };

describe('a command in the menu of a row', () => {
  const run = vi.fn(() => Promise.resolve());
  const commands = refuseLostRows({
    'bough.session.delete': run,
    'bough.chat.openInEditor': run,
  } as unknown as Commands);
  const remove: (...args: unknown[]) => Promise<void> = commands['bough.session.delete'];

  it.each([
    ['a row that VS Code forgot meanwhile', [undefined, undefined]],
    ['the same, of several', [null, [undefined, undefined]]],
  ])('is not run on the chat in front when chosen on %s', async (_, args) => {
    run.mockClear();
    await expect(remove(...args)).rejects.toMatchObject({ code: 'InvalidArgument' });
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ['the palette', []],
    ['a caller that names nothing', [undefined]],
    ['a caller that adds something for the chat in front', [undefined, 'the warm one']],
    ['a key, on the row with the focus', [{ row: 'focused' }]],
    ['a row', [row, undefined]],
    ['several rows', [row, [row, row]]],
  ])('is run from %s', async (_, args) => {
    run.mockClear();
    await remove(...args);
    expect(run).toHaveBeenCalledWith(...args);
  });

  it('leaves those alone that stand above the list too, where there is no row', async () => {
    run.mockClear();
    const show: (...args: unknown[]) => Promise<void> = commands['bough.chat.openInEditor'];
    await show(undefined, undefined);
    expect(run).toHaveBeenCalledOnce();
  });

  it('is refused for every command that stands in the menus of rows alone', async () => {
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: { menus: Record<string, { command?: string }[]> };
    };
    const inMenu = (menu: string) => (contributes.menus[menu] ?? []).flatMap(({ command }) => command ?? []);
    const above = new Set(inMenu('view/title'));
    const names = inMenu('view/item/context').filter((name) => !above.has(name));
    expect(names.length).toBeGreaterThan(10);
    const all = refuseLostRows(Object.fromEntries(names.map((name) => [name, run])) as unknown as Commands);
    for (const name of names) {
      const chosen = all[name as keyof Commands];
      await expect(chosen(undefined, undefined), name).rejects.toThrow('read anew');
    }
  });
});
