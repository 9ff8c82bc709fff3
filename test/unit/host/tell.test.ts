import { describe, expect, it, vi } from 'vitest';
import type { Output } from '../../../src/host/output.js';
import { createTeller, unlike } from '../../../src/host/tell.js';

const shown: { text: string; close: (label?: string) => void }[] = [];
vi.mock('vscode', () => ({
  window: {
    showInformationMessage: (text: string) => new Promise((resolve) => shown.push({ text, close: resolve })),
  },
}));

describe('what the person is told', () => {
  it('has another text than what stands, so that the editor drops the buttons of neither', async () => {
    const teller = createTeller({ log: vi.fn(), bug: vi.fn() } as unknown as Output, vi.fn());
    const undone: number[] = [];
    for (const number of [1, 2, 3])
      teller.info('Deleted "A".', { Undo: () => undone.push(number) }, 'It had 2 messages.');
    teller.info('Deleted "A".');
    expect(shown.map(({ text }) => text)).toEqual([
      'Deleted "A".',
      'Deleted "A". It had 2 messages.',
      'Deleted "A". It had 2 messages. (2)',
      'Deleted "A".',
    ]);
    shown[0]?.close('Undo');
    shown[1]?.close('Undo');
    await vi.waitFor(() => expect(undone).toEqual([1, 2]));
  });

  it('is as it was when nothing like it stands', () => {
    expect(unlike(new Set(['b']), 'a', 'c')).toBe('a');
    expect(unlike(new Set(['a']), 'a')).toBe('a (2)');
  });
});
