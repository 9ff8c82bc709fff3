import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Growth, type GrowingMessage } from '../../../../src/host/chat/growth.js';
import type { GrowingView } from '../../../../src/shared/protocol.js';

const growing = (text: string, attempt = 'a1', reasoning = ''): GrowingView => ({
  attempt_id: attempt,
  turn_id: 't',
  step: 1,
  text,
  reasoning,
  calls: [],
});

/** What a view makes of the messages. */
function join(before: { attempt: string; text: string; reasoning: string }, message: GrowingMessage) {
  const base = before.attempt === message.attempt_id ? before : { text: '', reasoning: '' };
  expect(message.offset).toBeLessThanOrEqual(base.text.length);
  return {
    attempt: message.attempt_id,
    text: base.text.slice(0, message.offset) + message.delta,
    reasoning: base.reasoning.slice(0, message.reasoning_offset) + message.reasoning_delta,
  };
}

describe('growth', () => {
  it('sends what is new, by offset, and nothing twice', () => {
    const growth = new Growth('s');
    expect(growth.advance(growing('Hel'))).toMatchObject({ offset: 0, delta: 'Hel' });
    expect(growth.advance(growing('Hello'))).toMatchObject({ offset: 3, delta: 'lo' });
    expect(growth.advance(growing('Hello'))).toBeUndefined();
    expect(growth.advance(null)).toBeUndefined();
  });

  it('a new attempt begins at nought, also with no text yet', () => {
    const growth = new Growth('s');
    growth.advance(growing('gone'));
    expect(growth.advance(growing('', 'a2'))).toMatchObject({ attempt_id: 'a2', offset: 0, delta: '' });
  });

  it('a snapshot brought everything so far', () => {
    const growth = new Growth('s');
    growth.reset(growing('Hello'));
    expect(growth.advance(growing('Hello'))).toBeUndefined();
    expect(growth.advance(growing('Hello!'))).toMatchObject({ offset: 5, delta: '!' });
  });

  it('calls that grow are told', () => {
    const growth = new Growth('s');
    growth.advance(growing('x'));
    const next = { ...growing('x'), calls: [{ name: 'edit', chars: 12 }] };
    expect(growth.advance(next)).toMatchObject({
      offset: 1,
      delta: '',
      calls: [{ name: 'edit', chars: 12 }],
    });
  });

  it('whatever is sent, the view ends with the text that is there', () => {
    const step = fc.record({ attempt: fc.constantFrom('a', 'b'), text: fc.string(), reasoning: fc.string() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), (steps) => {
        const growth = new Growth('s');
        let view = { attempt: '', text: '', reasoning: '' };
        for (const { attempt, text, reasoning } of steps) {
          // Text of one attempt only grows.
          const isSame = view.attempt === attempt;
          const now = growing(
            isSame ? view.text + text : text,
            attempt,
            isSame ? view.reasoning + reasoning : reasoning,
          );
          const message = growth.advance(now);
          if (message) view = join(view, message);
          expect(view).toEqual({ attempt, text: now.text, reasoning: now.reasoning });
        }
      }),
    );
  });
});
