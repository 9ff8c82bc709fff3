// Commands that are in no menu, and Bough's public API, by way of another extension.
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { EditorWindow } from './bench/window.js';

export const caller = path.join(import.meta.dirname, 'extensions/caller');

export async function run(window: EditorWindow, command: string, ...args: unknown[]): Promise<void> {
  await window.runCommand('Caller: Run Command');
  await window.answer(JSON.stringify([command, ...args]));
}

let calls = 0;

/** What the API gave, as JSON behind `API <name>: `, in a notification. */
export async function call(window: EditorWindow, name: string, ...args: unknown[]): Promise<Locator> {
  await window.runCommand('Caller: Call API');
  calls += 1;
  const mark = `(call ${String(calls)})`;
  await window.answer(JSON.stringify([mark, name, ...args]));
  const told = window.notification(mark);
  await told.waitFor();
  return told;
}

/** Does something with the store that the other extension brings; what it holds then: the types of each session's entries. */
export async function useStore(
  window: EditorWindow,
  work: 'register' | 'dispose' | 'break' | 'mend' | 'held',
): Promise<Record<string, string[]>> {
  await window.runCommand('Caller: Use Store');
  calls += 1;
  const mark = `(call ${String(calls)})`;
  await window.answer(JSON.stringify([mark, work]));
  const told = window.notification(mark);
  await told.waitFor();
  const [, json = '{}'] = /STORE \w+: (\{.*\})/.exec((await told.innerText()).replace(/\s+/g, ' ')) ?? [];
  return JSON.parse(json) as Record<string, string[]>;
}
