import { describe, it, expect } from 'vitest';
import fc from 'fast-check';
import { createEventDecoder, type StreamEvent } from '../../../src/models/event-stream.js';

const decode = (bytes: Uint8Array, cuts: readonly number[] = []): StreamEvent[] => {
  const decoder = createEventDecoder();
  const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  const events = at.slice(1).flatMap((end, i) => decoder.push(bytes.subarray(at[i], end)));
  const rest = decoder.rest();
  return rest ? [...events, rest] : events;
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('server-sent events', () => {
  it('reads events, joins data lines, passes over comments and unknown fields', () => {
    const text = ': hello\n\nevent: error\n\ndata: a\ndata:b\nid: 7\n\ndata\n\n';
    expect(decode(bytes(text))).toEqual([
      { event: 'error', data: undefined },
      { event: '', data: 'a\nb' },
      { event: '', data: '' },
    ]);
  });

  it('ends lines at LF, CR LF and CR', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      expect(decode(bytes(`data: 1${end}${end}data: 2${end}${end}`))).toEqual([
        { event: '', data: '1' },
        { event: '', data: '2' },
      ]);
    }
  });

  it('gives what stood before the end of the body without a closing line as the rest', () => {
    expect(decode(bytes('data: 1\n\ndata: [DONE]'))).toEqual([
      { event: '', data: '1' },
      { event: '', data: '[DONE]' },
    ]);
  });

  it('takes no separator of Unicode for a line end', () => {
    expect(decode(bytes('data: a\u2028b\u0085c\n\n'))).toEqual([{ event: '', data: 'a\u2028b\u0085c' }]);
  });

  it('D10: one byte a chunk gives the same text, whatever character or line end it splits', () => {
    const whole = bytes('data: {"t":"修🔥é"}\r\n\r\ndata: {"t":"修"}\n\n');
    const everywhere = Array.from(whole, (_, i) => i);
    expect(decode(whole, everywhere)).toEqual(decode(whole));
    expect(decode(whole)[0]).toEqual({ event: '', data: '{"t":"修🔥é"}' });
  });

  it('does not depend on where the network cuts', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, ' ')}`),
      fc.constantFrom('', '', ': ping', 'event: error', 'data', 'retry: 5'),
    );
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const lines = fc.array(fc.tuple(line, end), { maxLength: 20 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat(400), { maxLength: 30 }), (pairs, cuts) => {
        const text = pairs.map(([one, ending]) => one + ending).join('');
        expect(decode(bytes(text), cuts)).toEqual(decode(bytes(text)));
      }),
    );
  });
});
