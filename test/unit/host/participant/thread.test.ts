import type * as vscode from 'vscode';
import { describe, expect, it } from 'vitest';
import { PARTICIPANT } from '../../../../src/host/participant/id.js';
import {
  OPEN_COMMAND,
  openLink,
  threadDelivery,
  threadOf,
  threadResult,
  wasWritten,
} from '../../../../src/host/participant/thread.js';

const key = 'sample-1a2b';
const mine = threadDelivery(key, '0123456789abcdef');

const answered = (result: object, first = 'Oaks.', participant = PARTICIPANT) => ({
  participant,
  result,
  response: [{ value: { value: first } }],
});
const asked = { prompt: 'What are oaks?', participant: PARTICIPANT };
const find = (...history: object[]) => threadOf({ history } as unknown as vscode.ChatContext, key);

describe('the session of a chat in VS Code’s own view', () => {
  it('is none at the first prompt, and then the one that its results name', () => {
    expect(mine).toBe('chat:sample-1a2b:t:0123456789abcdef');
    expect(find()).toBeUndefined();
    expect(find(asked, answered({ metadata: threadResult(mine, true) }))).toBe(mine);
  });

  it('is the one that the first line links to when the answer was stopped', () => {
    expect(find(asked, answered({}, `[Open in Bough](${openLink(mine)})\n\n`))).toBe(mine);
    expect(find(asked, answered({ metadata: threadResult(mine, true) }), asked, answered({}))).toBe(mine);
  });

  it('is none that a later answer links to, unless the line is ours', () => {
    const other = threadDelivery(key, 'fedcba9876543210');
    const line = `[Open](${openLink(other)})\n\n`;
    const first = answered({ metadata: threadResult(mine, true) });
    expect(find(asked, first, asked, answered({}, line))).toBe(mine);
    const trusted = { value: { value: line, isTrusted: { enabledCommands: [OPEN_COMMAND] } } };
    expect(find(asked, first, asked, { ...answered({}), response: [trusted] })).toBe(other);
    expect(find(asked, { ...answered({}), response: [] }, asked, answered({}, line))).toBe(other);
  });

  it('was written to when an answer that came of it says so', () => {
    const was = (...history: object[]) => wasWritten({ history } as unknown as vscode.ChatContext, mine);
    const [yes, no] = [true, false].map((written) => answered({ metadata: threadResult(mine, written) }));
    expect(was(asked, no ?? {})).toBe(false);
    expect(was(asked, yes ?? {}, asked, no ?? {})).toBe(true);
    expect(was(asked, answered({ metadata: threadResult(threadDelivery(key, 'x'), true) }))).toBe(false);
  });

  it.each([
    ['what a model wrote', answered({}, `Look: [Open](${openLink(mine)})`)],
    ['a link that is cut', answered({}, '[Open](command:bough.session.open?%5B%22chat)')],
    ['a link without an id', answered({}, '[Open](command:bough.session.open?%7B%7D)')],
    [
      'the answer of another participant',
      answered({ metadata: threadResult(mine, true) }, '', 'other.agent'),
    ],
    ['the session of another folder', answered({ metadata: { delivery: threadDelivery('other', 't') } })],
    ['a session of no chat', answered({ metadata: { delivery: 'vscode:sample-1a2b:t:x' } })],
    ['no text', answered({ metadata: { delivery: 7 } })],
    ['no metadata', answered({})],
  ])('is not chosen by %s', (_, turn) => {
    expect(find(asked, turn)).toBeUndefined();
  });
});
