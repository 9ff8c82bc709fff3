// After a move: a line that was left, a place above the end, summaries that are open, messages of the queue that wait or
// are changed, work given to another session, a turn that was left, a session that is nowhere on disk.
import { idle, Scene } from '../bench/scenes.js';
import type { State } from './states.js';

function twoAnswers(): { scene: Scene; first: string } {
  const scene = new Scene();
  const prompt = scene.user('Make the greeting friendlier');
  const first = scene.answer('It names the guest now.');
  scene.add({ type: 'head', entry_id: prompt });
  scene.answer('It asks how the day was now.');
  return { scene, first };
}

/** The picker went back by one, and the host answered. */
function lineLeft(): State {
  const { scene } = twoAnswers();
  const there = twoAnswers();
  return {
    name: 'line-left',
    scene,
    press: 'branch-prev',
    then: there.scene.goTo(there.first),
    leads: 'left-branch',
  };
}

function readAbove(): State {
  const scene = new Scene();
  for (let n = 1; n <= 30; n += 1) {
    scene.user(`Question ${n}`);
    scene.answer(`Answer ${n}: ${'some words of it, '.repeat(12)}`);
  }
  return { name: 'read-above', scene, wheel: -900, leads: 'jump-latest' };
}

function queueOf(held: boolean): Scene {
  const scene = new Scene();
  scene.turn('Run the tests.', 'turn-1');
  if (held) scene.endTurn('turn-1', 'stopped');
  const items = [
    { id: 'q1', mode: 'queue' as const, text: 'Then write a changelog entry for it' },
    { id: 'q2', mode: 'steer' as const, text: 'Only the unit tests, please' },
  ];
  scene.add({ type: 'queue_update', items, held });
  scene.status = { ...idle, run: held ? 'idle' : 'running' };
  return scene;
}

function summarised(): State {
  const scene = new Scene();
  const first = scene.user('What are oaks?');
  const last = scene.answer('Oaks are trees.');
  scene.add({
    type: 'branch_summary',
    from_id: first,
    to_id: last,
    summary: 'Oaks were named.',
    collapse: true,
  });
  const kept = scene.user('And elms?');
  scene.answer('Elms too.');
  scene.add({
    ...{ type: 'compaction', kind: 'summary', summary: 'Oaks and elms were named **trees**.' },
    ...{ first_kept_entry_id: kept, tokens_before: 9_000, tokens_after: 900 },
  });
  scene.add({ type: 'skill_load', name: 'trees', description: 'All about trees', body: 'Look at the bark.' });
  scene.answer('What else?');
  return { name: 'summarised', scene, pressWord: 'Summarised what stands above', height: 640 };
}

function handedOn(): State {
  const scene = new Scene();
  scene.turn('Look through the docs.', 'turn-1');
  const input = { task: 'Read docs/ and tell what is old', agent: 'reader' };
  scene.calls('', [{ call_id: 's1', name: 'subagent', input }], 'turn-1');
  scene.add({ type: 'tool_start', call_id: 's1', turn_id: 'turn-1' });
  scene.add({ type: 'subagent_start', call_id: 's1', session: 'session-9', turn_id: 'turn-1', ...input });
  scene.status = { ...idle, run: 'running' };
  return { name: 'handed-on', scene };
}

/** A turn that was left as it is, and what one took. */
function leftAndPaid(): State {
  const scene = new Scene();
  const ids = { turn_id: 'turn-0', attempt_id: 'a0', step: 1 };
  scene.turn('What is in this folder?', 'turn-0');
  scene.add({ type: 'step_start', ...ids });
  scene.add({
    ...{ type: 'message', role: 'assistant', parts: [{ type: 'text', text: 'A README.' }] },
    ...{ turn_id: ids.turn_id, attempt_id: ids.attempt_id },
  });
  scene.add({
    ...{ type: 'usage', ...ids, purpose: 'step', input_tokens: 1_000, output_tokens: 100 },
    ...{ total_tokens: 1_100, cost: 0.25 },
  });
  scene.endTurn('turn-0');
  scene.turn('Run the migration.', 'turn-1');
  scene.endTurn('turn-1', 'interrupted');
  return { name: 'left-and-paid', scene, height: 480 };
}

/** Kept in memory, with a text in which something hides, and words of the host that it shows no more. */
function inMemory(): State {
  const scene = new Scene();
  scene.turn('Clean up.', 'turn-1');
  // The view keeps texts by their hashes, and those of other scenes are counted from one.
  const [before, after] = ['e'.repeat(64), 'f'.repeat(64)];
  const input = { path: 'a.md', content: 'a\nb\u202e\n' };
  scene.blobs.set(before, 'a\n').set(after, input.content);
  scene.calls('', [{ call_id: 'w1', name: 'write', input }], 'turn-1');
  scene.add({
    ...{ type: 'approval_request', call_id: 'w1', tool: 'write', summary: 'Write a.md', input_hash: 'y' },
    ...{ risk: 'write', turn_id: 'turn-1', targets: [] },
    proposal: [{ path: 'a.md', before, after }],
  });
  scene.status = { ...idle, run: 'waiting' };
  return {
    name: 'in-memory',
    scene,
    snapshot: {
      session: { id: scene.id, title: 'Clean up', folder: undefined, read_only: false, ephemeral: true },
    },
    then: { type: 'not_shown', session: '', message: 'The log could not be read: permission denied.' },
    leads: 'problem',
  };
}

export const movedStates = (): State[] => [
  lineLeft(),
  readAbove(),
  { name: 'queue-changed', scene: queueOf(false), press: 'queue-edit' },
  { name: 'queue-held', scene: queueOf(true) },
  summarised(),
  handedOn(),
  leftAndPaid(),
  inMemory(),
];
