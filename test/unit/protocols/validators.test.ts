/** The strict readings are strict: a sound request has no violation, and each way to spoil it has one. */
import { describe, it, expect } from 'vitest';
import { geminiViolations } from '../../protocols/gemini.js';
import { messagesViolations } from '../../protocols/messages.js';
import { responsesViolations } from '../../protocols/responses.js';

type Wire = Record<string, unknown>;
type Spoil = [name: string, spoil: (body: Wire) => void];

const schema = { type: 'object' };
const clone = (body: Wire): Wire => structuredClone(body);
const list = (body: Wire, name: string): Wire[] => body[name] as Wire[];

const responses: Wire = {
  store: false,
  stream: true,
  reasoning: { effort: 'low' },
  include: ['reasoning.encrypted_content'],
  tools: [{ type: 'function', name: 'read', parameters: schema, strict: false }],
  input: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'input_text', text: 'look' }] },
    { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'text' },
  ],
};

const messages: Wire = {
  max_tokens: 2048,
  stream: true,
  thinking: { type: 'enabled', budget_tokens: 1024 },
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  tools: [{ name: 'read', input_schema: schema }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'look' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'tool_use', id: 'c1', name: 'read', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'x' },
        { type: 'text', text: 'go on' },
      ],
    },
  ],
};
const blocks = (body: Wire, n: number): Wire[] => list(body, 'messages')[n]?.['content'] as Wire[];

const gemini: Wire = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  tools: [{ functionDeclarations: [{ name: 'read', parametersJsonSchema: schema }] }],
  contents: [
    { role: 'user', parts: [{ text: 'look' }] },
    { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'read', args: {} }, thoughtSignature: 'x' }] },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'read', response: { content: 'x' } } }] },
    { role: 'user', parts: [{ text: 'go on' }] },
  ],
};
const gparts = (body: Wire, n: number): Wire[] => list(body, 'contents')[n]?.['parts'] as Wire[];

const put = (target: Wire | undefined, facts: Wire): void => void Object.assign(target ?? {}, facts);

const cases: [string, Wire, (body: Wire) => string[], Spoil[]][] = [
  [
    'responses',
    responses,
    responsesViolations,
    [
      ['stored', (body) => put(body, { store: true })],
      ['unsealed', (body) => put(body, { include: [] })],
      ['no output', (body) => void list(body, 'input').pop()],
      ['output of nothing', (body) => put(list(body, 'input')[4], { call_id: 'c2' })],
      ['same call twice', (body) => void list(body, 'input').splice(3, 0, { ...list(body, 'input')[3] })],
      ['blank text', (body) => put(list(body, 'input')[0], { content: ' ' })],
      ['loose reasoning', (body) => void list(body, 'input').push({ ...list(body, 'input')[2], id: 'rs_2' })],
      ['reasoning that is not sealed', (body) => put(list(body, 'input')[2], { encrypted_content: null })],
      ['odd id', (body) => put(list(body, 'input')[3], { call_id: 'a b' })],
      ['arguments cut', (body) => put(list(body, 'input')[3], { arguments: '{"a' })],
      ['strict schema', (body) => put(list(body, 'tools')[0], { strict: undefined })],
      ['no tools', (body) => put(body, { tools: undefined })],
      ['lone surrogate', (body) => put(list(body, 'input')[0], { content: '\ud800' })],
    ],
  ],
  [
    'messages',
    messages,
    messagesViolations,
    [
      ['no max_tokens', (body) => put(body, { max_tokens: undefined })],
      ['budget above it', (body) => put(body, { max_tokens: 1024 })],
      ['no result', (body) => void blocks(body, 2).shift()],
      ['result of nothing', (body) => put(blocks(body, 2)[0], { tool_use_id: 'c2' })],
      ['result behind text', (body) => void blocks(body, 2).reverse()],
      ['blank text', (body) => put(blocks(body, 0)[0], { text: '\n' })],
      ['thinking without signature', (body) => put(blocks(body, 1)[0], { signature: '' })],
      ['thinking missing', (body) => void blocks(body, 1).shift()],
      [
        'thinking last',
        (body) => void blocks(body, 1).push({ type: 'thinking', thinking: '', signature: 's' }),
      ],
      ['ends with the assistant', (body) => void list(body, 'messages').pop()],
      ['two of the user', (body) => void list(body, 'messages').splice(1, 1)],
      ['no tools', (body) => put(body, { tools: [] })],
      ['odd id', (body) => put(blocks(body, 1)[1], { id: 'a.b' })],
      [
        'five marks',
        (body) =>
          blocks(body, 2).push(
            ...Array.from({ length: 4 }, () => ({ type: 'text', text: 'x', cache_control: {} })),
          ),
      ],
    ],
  ],
  [
    'Gemini',
    gemini,
    (body) => geminiViolations(body, 'gemini-3-pro'),
    [
      ['no response', (body) => void list(body, 'contents').splice(2, 1)],
      ['a response too many', (body) => void gparts(body, 2).push({ ...gparts(body, 2)[0] })],
      ['another name', (body) => put(gparts(body, 2)[0]?.['functionResponse'] as Wire, { name: 'list' })],
      ['no parts', (body) => void gparts(body, 0).pop()],
      ['an empty part', (body) => void gparts(body, 0).push({})],
      ['blank text', (body) => put(gparts(body, 0)[0], { text: '' })],
      ['no signature', (body) => put(gparts(body, 1)[0], { thoughtSignature: undefined })],
      ['begins with the model', (body) => void list(body, 'contents').shift()],
      ['ends with the model', (body) => void list(body, 'contents').splice(2, 2)],
      ['blank system', (body) => put(body, { systemInstruction: { parts: [] } })],
      ['no functions', (body) => put(body, { tools: undefined })],
    ],
  ],
];

describe.each(cases)('%s', (_name, sound, violations, spoils) => {
  it('takes a sound request', () => expect(violations(clone(sound))).toEqual([]));

  it.each(spoils)('refuses: %s', (_what, spoil) => {
    const body = clone(sound);
    spoil(body);
    expect(violations(body).length).toBeGreaterThan(0);
  });
});
