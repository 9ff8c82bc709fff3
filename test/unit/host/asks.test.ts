/** Lists, boxes and dialogs of VS Code are asked through one place, which tells when they are open and closed. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { asks, watchAsks } from '../../../src/host/asks.js';

const box = vi.hoisted(() => ({ answers: [] as ((text: string | undefined) => void)[] }));
const wait = vi.hoisted(() => () => new Promise<string | undefined>((resolve) => box.answers.push(resolve)));
vi.mock('vscode', () => ({ window: { showInputBox: wait, showWarningMessage: wait } }));

it('tells whoever watches before it goes on', async () => {
  const told: string[] = [];
  const watching = watchAsks((isModal) => {
    told.push(isModal ? 'dialog' : 'box');
    return () => told.push('closed');
  });
  const named = asks.showInputBox().then((text) => told.push(`answered ${String(text)}`));
  box.answers[0]?.('Trees');
  await named;
  const decided = asks.showWarningMessage('Really?', { modal: true });
  box.answers[1]?.(undefined);
  await decided;
  expect(told).toEqual(['box', 'closed', 'answered Trees', 'dialog', 'closed']);
  watching.dispose();
  void asks.showInputBox();
  expect(told).toHaveLength(5);
});

it('nothing of the host asks past it', () => {
  const files = readdirSync('src/host', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && name !== 'asks.ts',
  );
  const past = files.filter((name) => {
    const code = readFileSync(`src/host/${name}`, 'utf8');
    const isMade = code.includes('createQuickPick');
    return (
      /window\s*\.(showQuickPick|showInputBox|showOpenDialog|showSaveDialog|createInputBox)\b/.test(code) ||
      /window\.show(Warning|Information|Error)Message\([^;]*?modal: true/s.test(code) ||
      isMade !== code.includes('showList(')
    );
  });
  expect(past).toEqual([]);
});
