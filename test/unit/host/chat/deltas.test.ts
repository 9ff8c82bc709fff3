/** What goes over the wire to the view grows with what happens, not with what was said before. */
import { expect, it } from 'vitest';
import { Feed, type ShownSession } from '../../../../src/host/chat/feed.js';
import { PAGE } from '../../../../src/host/chat/snapshot.js';
import type { Tool } from '../../../../src/ports.js';
import type { ToWebview } from '../../../../src/shared/protocol.js';
import { openBench, type Bench } from '../../agent/bench.js';
import { calls, text } from '../../agent/fake-model.js';
import { statusOf } from './status.js';

function shown(bench: Bench): ShownSession {
  return {
    agent: bench.session,
    isEphemeral: false,
    title: () => 'One',
    status: () => statusOf('idle'),
    onChange: () => ({ dispose: () => undefined }),
  };
}

function feedOf(bench: Bench, posted: ToWebview[]): Feed {
  return new Feed(shown(bench), {
    post: (message) => posted.push(message),
    clock: bench.clock,
    readDraft: () => Promise.resolve({ text: '', editing: null }),
    onShown: () => undefined,
    onError: (error) => expect.unreachable(String(error)),
  });
}

it('G4: a long session is posted page by page and then piece by piece, and whole again at any time', async () => {
  const long = 'x'.repeat(20_000);
  const bench = await openBench({ endless: () => text(long) });
  for (let turn = 0; turn < 60; turn += 1) await bench.send(`Prompt ${turn}`);
  const posted: ToWebview[] = [];
  const feed = feedOf(bench, posted);
  await feed.sendSnapshot();
  const [first] = posted;
  if (first?.type !== 'snapshot') throw new Error('no snapshot came');
  expect(first.more).toBe(true);
  expect(first.entries.length).toBeLessThan(PAGE + 20);

  posted.length = 0;
  await bench.send('One more');
  const bodies = posted.flatMap((message) => (message.type === 'appended' ? message.entries : []));
  expect(posted.some(({ type }) => type === 'snapshot')).toBe(false);
  expect(bodies.filter(({ entry }) => entry.type === 'message')).toHaveLength(2);
  expect(JSON.stringify(posted).length).toBeLessThan(5 * long.length);

  // The view is gone and another comes: it gets what there is now.
  feed.dispose();
  const again: ToWebview[] = [];
  const other = feedOf(bench, again);
  await other.sendSnapshot();
  expect(again[0]).toMatchObject({ type: 'snapshot', position: bench.log.position });
  other.dispose();
});

it('G2: what a tool reports on its way is in no log', async () => {
  const noisy: Tool = {
    spec: { name: 'noisy', description: 'Reports a lot.', input_schema: { type: 'object' } },
    risk: 'read',
    prepare: (input) =>
      Promise.resolve({
        tool: 'noisy',
        input,
        sentence: 'Noise',
        risk: 'read',
        targets: [],
        subject: 'noisy',
      }),
    run: (_prepared, { report }) => {
      for (let line = 0; line < 10_000; line += 1) report(`progress ${line}\n`);
      return Promise.resolve({ content: 'Done.', is_error: false });
    },
  };
  const bench = await openBench({
    tools: [noisy],
    script: [calls([{ name: 'noisy', input: {} }]), text('Ready.')],
  });
  const before = bench.log.position;
  await bench.send('Make some noise');
  expect(bench.log.position - before).toBeLessThan(20);
  expect(JSON.stringify(await bench.log.line())).not.toContain('progress');
});
