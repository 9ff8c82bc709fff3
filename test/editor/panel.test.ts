import { expect, test } from 'vitest';
import { withEditor } from './bench/index.js';

test('the chat panel opens in a fresh VS Code', () =>
  withEditor({}, async (editor) => {
    await editor.openBough();
    const chat = await editor.chat();
    expect(await chat.locator('body').getAttribute('data-run')).toBe('idle');
    await editor.screenshot('panel');

    expect(editor.policyViolations()).toEqual([]);
    console.log(`activation on ${editor.version}: ${await editor.activationTime()} ms`);

    await editor.reload();
    await editor.chat();
  }));
