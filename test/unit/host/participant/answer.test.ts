import type * as vscode from 'vscode';
import { describe, expect, it, vi } from 'vitest';
import { answerInChat, type AnswerParts } from '../../../../src/host/participant/answer.js';
import { PARTICIPANT } from '../../../../src/host/participant/id.js';
import type { ChatAsked } from '../../../../src/host/participant/register.js';
import { calls, text, type Reply } from '../../agent/fake-model.js';
import { idle, makeWorld } from '../world.js';

vi.mock('vscode', () => ({
  l10n: { t: (said: string, ...words: string[]) => said.replace('{0}', () => words[0] ?? '') },
  MarkdownString: class {
    constructor(readonly value: string) {}
  },
  Uri: class {},
  Location: class {},
}));

const ask = calls([{ name: 'ask', input: { question: 'Which port?' } }]);

/** A chat of VS Code's own view with @bough alone: what it was told, and what each prompt resulted in. */
function openChat(script: readonly Reply[]) {
  const world = makeWorld(script);
  const { sessions } = world;
  const lines: string[] = [];
  const history: object[] = [];
  const parts = {
    sessions,
    // As of a session that is gone.
    store: { first: { key: 'sample' }, summary: () => Promise.resolve(undefined) },
    routes: {
      policies: { route: (session: string) => ({ session, entry: session }) },
      surfaces: { get: () => Promise.resolve(undefined), set: () => Promise.resolve() },
      readSetting: () => undefined,
      freshId: () => 'fresh',
    },
    freshThread: () => 't1',
  } as unknown as AnswerParts;
  const stream = {
    markdown: (value: string | { value: string }) =>
      void lines.push(typeof value === 'string' ? value : value.value),
    progress: () => undefined,
    button: () => undefined,
  };
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: () => ({ dispose: () => undefined }),
  };
  const send = async (prompt: string, references: object[] = []): Promise<vscode.ChatResult> => {
    const asked = { request: { prompt, references }, context: { history: [...history] }, stream, token };
    const result = await answerInChat(parts, asked as unknown as ChatAsked);
    history.push({ participant: PARTICIPANT, result, response: [] });
    return result;
  };
  return { send, lines, world };
}

describe('a prompt of VS Code’s own Chat view', () => {
  it('that was refused before anything was written left no session that could be gone', async () => {
    const { send, lines } = openChat([text('Oaks.'), text('Elms.')]);
    expect(await send(' ')).toMatchObject({ metadata: { written: false }, errorDetails: {} });
    expect(await send('What are oaks?')).toMatchObject({ metadata: { written: true } });
    expect(lines.join('')).toContain('Oaks.');
    expect(lines.join('')).not.toContain('not there any more');
    await send('And elms?');
    expect(lines.join('')).toContain('not there any more');
  });

  it('takes along the images that are attached, and says what it cannot take', async () => {
    const { send, lines, world } = openChat([text('An oak.')]);
    const image = (name: string, mimeType: string, length = 4) => ({
      id: 'vscode.image',
      name,
      value: { mimeType, data: () => Promise.resolve(new Uint8Array(length)) },
    });
    await send('What is this?', [
      image('oak', 'image/png'),
      image('oak', 'image/jpeg', 5),
      image('plan.tiff', 'image/tiff'),
      image('huge', 'image/png', 11 * 1024 * 1024),
      { id: 'some.other', value: { kind: 'unknown' } },
    ]);
    const sent = world.model.asked[0]?.request.messages.flatMap((message) =>
      message.role === 'user' ? message.parts : [],
    );
    expect(sent?.filter(({ type }) => type === 'image')).toMatchObject([
      { name: 'oak', mime: 'image/png', bytes: { length: 4 } },
      { name: 'oak 2', mime: 'image/jpeg', bytes: { length: 5 } },
    ]);
    const told = lines.find((line) => line.includes('Not sent'))?.replaceAll('\\', '');
    expect(told).toContain('plan.tiff (models take PNG, JPEG, GIF and WebP), huge (too large), some.other');
  });

  it('goes on with a fresh handle where the old one takes nothing more', async () => {
    const { send, lines, world } = openChat([text('Oaks.'), text('Elms.')]);
    await send('What are oaks?');
    const [opened] = world.sessions.all();
    await opened?.agent.log.close();
    expect(await send('And elms?')).not.toHaveProperty('errorDetails');
    expect(lines.join('')).toContain('Elms.');
  });

  it('is told where a question is answered that waits meanwhile', async () => {
    const { send } = openChat([ask]);
    void send('Start it');
    await idle();
    expect((await send('8080')).errorDetails?.message).toMatch(/Answer it in Bough/);
  });
});
