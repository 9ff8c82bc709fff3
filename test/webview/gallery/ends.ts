// What holds for the session as a whole, calls that a crash left, a turn that is being stopped, one that was too long.
import { realModel, idle, Scene } from '../bench/scenes.js';
import type { NoticeView } from '../../../src/shared/protocol.js';
import type { State } from './states.js';

/** One of each kind that says what became of the file or of the settings. */
const fileNotices: NoticeView[] = [
  {
    kind: 'config',
    message: 'The provider “local” in bough.providers has no base URL.',
    actions: [{ label: 'Open Settings', command: { type: 'open_settings', query: 'bough.providers' } }],
  },
  {
    kind: 'recovered',
    message: '2 messages lost what came before; they are shown where they may belong.',
    detail: 'Line 12: its parent is missing\nLine 14: its parent is missing',
    actions: [{ label: 'Reveal Log', command: { type: 'reveal_log' } }],
  },
  {
    kind: 'newer',
    message: 'A newer Bough wrote this session. It can be read here; update Bough to go on with it.',
    actions: [{ label: 'New Session', command: { type: 'new_session' } }],
  },
  {
    kind: 'conflict',
    message: 'Another window went on with this session before your message was sent.',
    actions: [{ label: 'Keep as a Branch', command: { type: 'keep_as_branch' } }],
  },
];

export function fileNoticeState(): State {
  const scene = new Scene();
  scene.user('Make the greeting friendlier');
  scene.answer('It asks how the day was now.');
  scene.status = { ...idle, notices: fileNotices };
  return { name: 'notices-of-file', scene, height: 900 };
}

/** Two calls of a turn that ended in a crash: one had begun, one had not. */
export function cutCalls(): State {
  const scene = new Scene();
  scene.turn('Run the migration, then write down what it did.', 'turn-1');
  scene.calls(
    '',
    [
      { call_id: 'r1', name: 'run', input: { command: 'npm run migrate' } },
      { call_id: 'w1', name: 'write', input: { path: 'done.md', content: 'Done\n' } },
    ],
    'turn-1',
  );
  scene.add({ type: 'tool_start', call_id: 'r1', turn_id: 'turn-1' });
  const message = 'The editor ended while “npm run migrate” was running; it may have partly run.';
  scene.status = { ...idle, interrupted: { turn_id: 'turn-1', message } };
  return { name: 'cut-calls', scene, height: 600 };
}

/** Stop was pressed, and the command that ran has not ended yet. */
export function stopping(): State {
  const scene = new Scene();
  scene.turn('Run the tests.', 'turn-1');
  scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }], 'turn-1');
  scene.add({ type: 'tool_start', call_id: 'r1', turn_id: 'turn-1' });
  scene.status = { ...idle, run: 'stopping' };
  return { name: 'stopping', scene, height: 420 };
}

/** What a tool gave was too long for the model, and a summary did not help; then it was left out. */
export function tooLong(isLeftOut = false): State {
  const scene = new Scene();
  scene.turn('What does the log of the build say?', 'turn-1');
  scene.calls('', [{ call_id: 'c1', name: 'read', input: { path: 'build.log' } }], 'turn-1');
  const first = scene.placed[0]?.entry.id ?? '';
  scene.result('c1', 'read', 'warning: unused\n'.repeat(400));
  scene.endTurn('turn-1', 'failed');
  if (isLeftOut) {
    scene.add({
      ...{ type: 'compaction', kind: 'prune', without_outputs: true, summary: '' },
      ...{ first_kept_entry_id: first, tokens_before: 42_000, tokens_after: 900 },
    });
    scene.answer('It warns of 400 unused names.');
    return { name: 'outputs-left-out', scene, height: 480 };
  }
  scene.status = {
    ...idle,
    model: { ...realModel, contextWindow: undefined },
    failure: {
      kind: 'overflow',
      message:
        'The conversation is too long for "qwen3-coder". Choose a model with a larger context, leave out what tools gave so far, or branch from an earlier message.',
      transient: false,
      action: 'select-model',
    },
  };
  return { name: 'too-long', scene, height: 480 };
}
