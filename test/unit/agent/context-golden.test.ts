import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../src/agent/context.js';
import { chatBody, chatViolations } from '../../protocols/chat-completions.js';
import { expected, goldenNames, readGolden } from '../shared/golden.js';

const tools = ['read', 'edit', 'write', 'run'].map((name) => ({
  name,
  description: name,
  input_schema: { type: 'object' },
}));

describe('H7: a golden log gives the request that stands beside it, from the line that is shown', () => {
  it.each(goldenNames)('%s', (name) => {
    const { line, fold } = readGolden(name);
    const model = { provider: 'local', id: 'm-1', label: 'M 1', contextWindow: 32_000 };
    const options = { system: 'You are Bough.', tools, openCalls: fold.state().open_calls };
    const body = chatBody(buildRequest(line, model, options));
    expect(chatViolations(body)).toEqual([]);
    expect(body.messages).toEqual(expected(name, 'request', body.messages));
  });
});
