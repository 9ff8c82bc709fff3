import { describe, expect, it } from 'vitest';
import type { ToolCard } from '../../src/shared/fold/types.js';
import { sentenceOf } from '../../webview/transcript/sentence.js';

const card = (more: Partial<ToolCard>): ToolCard => ({
  call: { type: 'tool_call', call_id: 'c1', name: 'run', input: { command: 'npm test' } },
  state: 'pending',
  ...more,
});

describe('the sentence of a call that writes a file', () => {
  it('counts its lines', () => {
    const write = (content: string) =>
      sentenceOf(
        card({
          call: { type: 'tool_call', call_id: 'c1', name: 'write', input: { path: 'a', content } },
          state: 'ok',
        }),
      );
    expect(write('one').outcome).toBe('1 line');
    expect(write('one\ntwo\n').outcome).toBe('2 lines');
  });
});

describe('the sentence of a call that has not started', () => {
  it('says that it waits for the person, and once it is approved for the call before it', () => {
    expect(sentenceOf(card({})).outcome).toBe('waits for its turn');
    expect(sentenceOf(card({ summary: 'Run it' })).outcome).toBe('waits for you');
    expect(sentenceOf(card({ decision: 'allow' }))).toMatchObject({
      verb: sentenceOf(card({})).verb,
      outcome: 'approved; waits for its turn',
    });
  });
});
