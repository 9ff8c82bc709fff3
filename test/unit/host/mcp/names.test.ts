import { describe, expect, it } from 'vitest';
import { LONGEST_NAME, toolNames } from '../../../../src/host/mcp/names.js';

const named = (...parts: string[]) => ({ parts: ['mcp', ...parts], identity: parts.join('\n') });

describe('names of tools', () => {
  it('are as one would write them where that is valid', () => {
    expect(toolNames([named('everything', 'echo'), named('my-db', 'read_rows')])).toEqual([
      'mcp_everything_echo',
      'mcp_my-db_read_rows',
    ]);
  });

  it('are valid and told apart whatever they are made of', () => {
    const given = [
      named('a', 'b_c'),
      named('a_b', 'c'),
      named('Bücher', 'suche'),
      named('my server', 'do it!'),
      named('my server', 'do it?'),
      named('', ''),
      named('日本', '語'),
      named('x'.repeat(50), 'y'.repeat(50)),
      named('x'.repeat(50), 'y'.repeat(51)),
      named('Case', 'x'),
      named('case', 'x'),
    ];
    const names = toolNames(given);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(given.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(names[7]).toHaveLength(LONGEST_NAME);
    // The order they come in changes none.
    expect(toolNames([...given].reverse()).reverse()).toEqual(names);
  });

  it('take none that is taken', () => {
    const [name] = toolNames([{ parts: ['read'], identity: 'vscode.lm\nread' }], new Set(['read']));
    expect(name).toMatch(/^read_[0-9a-f]{6}$/);
  });
});
