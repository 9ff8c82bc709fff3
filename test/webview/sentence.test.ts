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

describe('the sentence of a tool that looks or asks', () => {
  const done = (name: string, input: Record<string, unknown>, result = ''): string => {
    const call = { type: 'tool_call' as const, call_id: 'c1', name, input };
    const { verb, object, outcome } = sentenceOf(card({ call, state: 'ok', result }));
    return [`${verb} ${object}`, ...(outcome === undefined ? [] : [outcome])].join(' · ');
  };

  it.each([
    ['glob', { pattern: '*.ts', path: 'src' }, 'Found files *.ts in src'],
    ['symbols', { path: 'a.ts' }, 'Looked up symbols of a.ts'],
    ['symbols', { query: 'total' }, 'Looked up symbol “total”'],
    ['references', { path: 'a.ts', symbol: 'total' }, 'Looked up uses of total of a.ts'],
    ['references', { path: 'a.ts', line: 3 }, 'Looked up uses of line 3 of a.ts'],
    ['diagnostics', {}, 'Checked the problems'],
    ['diagnostics', { path: 'a.ts' }, 'Checked the problems of a.ts'],
    ['fetch', { url: 'https://example.com/' }, 'Fetched https://example.com/'],
    ['background', { id: 'b1', action: 'end' }, 'Looked after what goes on in the background'],
  ])('%s %j', (name, input, sentence) => {
    expect(done(name, input)).toBe(sentence);
  });

  it('tells the answer, and that there was none', () => {
    const question = { question: 'Up or down?\nNow.' };
    expect(done('ask', question, 'Down\nplease')).toBe('Asked “Up or down?” · you: Down');
    const call = { type: 'tool_call' as const, call_id: 'c1', name: 'ask', input: question };
    expect(sentenceOf(card({ call, state: 'denied', decision: 'deny' })).outcome).toBe('you gave no answer');
  });

  it('tells that a command went on', () => {
    const result = 'x\n\n[The person lets this go on in the background: it is still running, as "b1".]';
    expect(sentenceOf(card({ state: 'ok', result })).outcome).toBe('went on in the background');
  });
});

describe('the sentence of a call of a tool of an MCP server', () => {
  const words = (name: string, summary?: string): string => {
    const call = { type: 'tool_call' as const, call_id: 'c1', name, input: {} };
    const { verb, object } = sentenceOf(card({ call, state: 'ok', ...(summary ? { summary } : {}) }));
    return `${verb} ${object}`;
  };

  it.each([
    ['mcp_tiny_add', 'Call add of the MCP server "tiny"', 'Called add of the MCP server "tiny"'],
    // A rule allowed it, and nothing was asked.
    ['mcp_tiny_add', undefined, 'Called add of the MCP server "tiny"'],
    [
      'mcp_tiny_add_one_3f2a91',
      'Call add one of the MCP server "tiny"',
      'Called add one of the MCP server "tiny"',
    ],
    // Which part of it is the server nobody can tell.
    ['mcp_my_tiny_add', undefined, 'Called mcp_my_tiny_add'],
    ['other_tiny_add', 'Call add of the MCP server "tiny"', 'Called other_tiny_add'],
  ])('%s, asked as %s', (name, summary, sentence) => {
    expect(words(name, summary)).toBe(sentence);
  });
});
