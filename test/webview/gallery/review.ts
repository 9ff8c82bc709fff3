// Edits that are decided on together, one that was changed in the diff, and what a branch changed when all is done.
import { idle, Scene } from '../bench/scenes.js';
import type { State } from './states.js';

const old = 'one\ntwo\nthree\nfour\n';

function editsWait(): Scene {
  const scene = new Scene();
  scene.turn('Write the numbers out in digits.', 'turn-1');
  const paths = ['src/first.txt', 'src/second.txt'];
  const edits = [{ old_text: 'two', new_text: '2' }];
  scene.calls(
    '',
    paths.map((path, index) => ({ call_id: `e${index}`, name: 'edit', input: { path, edits } })),
    'turn-1',
  );
  paths.forEach((path, index) => {
    scene.add({
      type: 'approval_request',
      call_id: `e${index}`,
      tool: 'edit',
      summary: `Edit ${path}`,
      input_hash: 'x',
      risk: 'write',
      turn_id: 'turn-1',
      targets: [{ path, hash: 'a' }],
      proposal: [
        { path, before: scene.blob(old), after: scene.blob(old.replace('two', '2').replace('four', '4')) },
      ],
    });
  });
  scene.status = { ...idle, run: 'waiting' };
  return scene;
}

export const editsAtOnce = (): State => ({ name: 'edits-at-once', scene: editsWait(), height: 900 });

export const editedInDiff = (): State => ({
  name: 'edited-in-diff',
  scene: editsWait(),
  height: 900,
  snapshot: {
    draft: { text: '', editing: null, unsent: { e0: { after: old.replace('two', '2, or two') } } },
  },
});

export function changedFiles(): State {
  const scene = new Scene();
  scene.turn('Write the numbers out in digits.', 'turn-1');
  for (const name of ['first', 'second', 'third']) {
    const path = `src/${name}.txt`;
    scene.calls('', [{ call_id: name, name: 'write', input: { path, content: '2\n' } }], 'turn-1');
    scene.result(name, 'write', `Changed ${path} (+1 −1).`);
  }
  scene.calls('', [{ call_id: 'r', name: 'read', input: { path: 'src/first.txt' } }], 'turn-1');
  scene.result('r', 'read', '2\n');
  scene.answer('All three have digits now.');
  scene.endTurn('turn-1');
  const names = ['src/first.txt', 'src/second.txt', 'src/third.txt'];
  scene.status = { ...idle, mode: 'auto', changes: { count: 3, names } };
  return { name: 'changed-files', scene, height: 640 };
}
