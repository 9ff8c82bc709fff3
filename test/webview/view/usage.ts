// What requests took: in the row of a turn, and in the header of the branch and of the session.
import { describe, expect, it } from 'vitest';
import type { ChatPage, Open } from '../bench/chat-page.js';
import { eventually } from '../bench/eventually.js';
import { idle, Scene } from '../bench/scenes.js';

/** A turn of requests that took so many tokens, one a step; `costs`: undefined where no price is known. */
function turnOf(scene: Scene, turn_id: string, costs: readonly (number | undefined)[]): void {
  scene.turn(`Ask ${turn_id}`, turn_id);
  costs.forEach((cost, index) => {
    const step = index + 1;
    const attempt_id = `${turn_id}-${step}`;
    scene.add({ type: 'step_start', step, attempt_id, turn_id });
    scene.add({
      ...{ type: 'message', role: 'assistant', parts: [{ type: 'text', text: `Step ${step}` }] },
      ...{ attempt_id, turn_id },
    });
    scene.add({
      ...{ type: 'usage', purpose: 'step', attempt_id, turn_id, total_tokens: 1100 },
      ...{ input_tokens: 1000, output_tokens: 100 },
      ...(cost === undefined ? {} : { cost }),
    });
    scene.add({ type: 'step_end', step, attempt_id, turn_id });
  });
  scene.endTurn(turn_id);
}

const titleOf = (chat: ChatPage, testId: string) => chat.at(testId).getAttribute('title');

/** What is drawn of each turn. */
const wordsOf = (chat: ChatPage) =>
  chat.at('turn-cost').evaluateAll((lines) =>
    lines.map((line) => {
      const drawn = getComputedStyle(line, '::before').content;
      return drawn.startsWith('"') ? (JSON.parse(drawn) as string) : drawn;
    }),
  );

export function usageTests(open: Open): void {
  describe('what requests took', () => {
    it('stands in the row of the turn in tokens where no price is known, its requests one by one in the tooltip', async () => {
      const scene = new Scene();
      turnOf(scene, 'turn-1', [undefined, undefined]);
      const chat = await open(scene);
      expect(await wordsOf(chat)).toEqual(['This turn took 2,200 tokens']);
      expect((await chat.at('turn-cost').boundingBox())?.height ?? 0).toBeGreaterThan(10);
      // It is no part of the answer.
      expect(await chat.at('message').last().innerText()).toBe('Step 2');
      expect(await titleOf(chat, 'turn-cost')).toBe(
        [
          '2,200 tokens in 2 requests',
          'Step 1: 1,000 tokens in, 100 out',
          'Step 2: 1,000 tokens in, 100 out',
        ].join('\n'),
      );
    });

    it('stands there in dollars where prices are known, and says when they are not for all', async () => {
      const scene = new Scene();
      turnOf(scene, 'turn-1', [0.25, 0.5]);
      turnOf(scene, 'turn-2', [0.25, undefined]);
      const chat = await open(scene);
      expect(await wordsOf(chat)).toEqual(['This turn cost $0.75', 'This turn cost at least $0.25']);
      expect(await chat.at('turn-cost').first().getAttribute('title')).toContain(
        'Step 2: 1,000 tokens in, 100 out, $0.50',
      );
    });

    it('E14: of a turn with very many requests the tooltip tells the first and the last', async () => {
      const scene = new Scene();
      turnOf(
        scene,
        'turn-1',
        Array.from({ length: 40 }, () => undefined),
      );
      const chat = await open(scene);
      const lines = (await titleOf(chat, 'turn-cost'))?.split('\n') ?? [];
      expect(lines).toHaveLength(32);
      expect(lines[0]).toBe('44,000 tokens in 40 requests');
      expect(lines[16]).toBe('… 10 more …');
      expect(lines.at(-1)).toContain('Step 40:');
    });

    it('is estimated by the host where no server tells it, once something was answered and nothing runs', async () => {
      const scene = new Scene();
      const chat = await open(scene);
      chat.estimated = 4_100;
      const asked = () =>
        chat.received.filter((message) => message.type === 'ask' && message.ask.what === 'estimate').length;
      await chat.post(scene.append(() => scene.user('Hi')));
      await chat.post(scene.append(() => scene.answer('Hello.')));
      await eventually(() => chat.at('meter').innerText()).toContain('~');
      expect(await titleOf(chat, 'meter')).toContain('About 4,100 tokens, estimated');
      expect(asked()).toBe(1);
      // As long as a turn runs it changes all the time.
      scene.status = { ...idle, run: 'running' };
      await chat.post(scene.append(() => scene.user('And?')));
      chat.estimated = 4_200;
      scene.status = idle;
      await chat.post(scene.append(() => scene.answer('Bye.')));
      await eventually(() => titleOf(chat, 'meter')).toContain('About 4,200 tokens');
      expect(asked()).toBe(2);
    });

    it('E14: the meter tells under the pointer what the branch took beside the session, each request once', async () => {
      const scene = new Scene();
      turnOf(scene, 'turn-1', [0.25]);
      const fork = scene.fold.head;
      turnOf(scene, 'turn-2', [0.5]);
      scene.add({ type: 'head', entry_id: fork });
      turnOf(scene, 'turn-3', [undefined]);
      const chat = await open(scene);
      const asked = () =>
        chat.received.filter((message) => message.type === 'ask' && message.ask.what === 'line_spending');
      expect(await titleOf(chat, 'meter')).not.toContain('This branch');
      expect(asked()).toHaveLength(0);
      await chat.at('meter').hover();
      await eventually(() => titleOf(chat, 'meter')).toContain(
        'This branch: 2,200 tokens in 2 requests, $0.25 where a price is known',
      );
      expect(await titleOf(chat, 'meter')).toContain('This session, all branches: 3,300 tokens, $0.75');
      expect(asked()).toHaveLength(1);

      // It holds for what stands there: what comes meanwhile is looked up too.
      await chat.post(scene.append(() => turnOf(scene, 'turn-4', [0.25])));
      await eventually(() => titleOf(chat, 'meter')).toContain(
        'This branch: 3,300 tokens in 3 requests, $0.50 where a price is known',
      );
    });
  });
}
