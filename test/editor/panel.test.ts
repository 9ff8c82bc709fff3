import { expect, test } from 'vitest';
import { withEditor } from './bench/index.js';

test('the chat panel opens in a fresh VS Code, and again after each reload', () =>
  withEditor({}, async (editor) => {
    const activations: number[] = [];
    for (let round = 0; round < 3; round++) {
      if (round > 0) await editor.reload();
      await editor.openBough();
      const chat = await editor.chat();
      expect(await chat.locator('body').getAttribute('data-run')).toBe('idle');
      activations.push(await editor.activationTime());
    }
    await editor.screenshot('panel');
    expect(editor.policyViolations()).toEqual([]);
    console.log(`figure: activation takes ${activations.sort((a, b) => a - b)[1]} ms`);
  }));
