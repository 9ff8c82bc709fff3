import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../src/ports.js';
import { openBench } from './bench.js';
import { calls, text } from './fake-model.js';

describe('a result that no log can hold', () => {
  it('is answered by an error that says so; the turn and the session go on', async () => {
    const odd: Tool = {
      spec: { name: 'odd', description: 'Gives a number.', input_schema: { type: 'object' } },
      risk: 'read',
      prepare: (input) =>
        Promise.resolve({ tool: 'odd', input, sentence: 'Odd', risk: 'read', targets: [], subject: 'odd' }),
      run: () => Promise.resolve({ content: 42 as never, is_error: false }),
    };
    const script = [calls([{ name: 'odd', input: {} }]), text('I see.'), text('Again.')];
    const bench = await openBench({ tools: [odd], script });
    await bench.send('Try');
    const results = bench.entries('message').filter(({ role }) => role === 'tool');
    expect(results.map(({ parts }) => parts)).toMatchObject([
      [{ is_error: true, content: expect.stringContaining('its result cannot be kept') as string }],
    ]);
    expect(bench.entries('turn_end')).toMatchObject([{ status: 'completed' }]);
    await bench.send('And again');
    expect(bench.model.asked).toHaveLength(3);
  });
});
