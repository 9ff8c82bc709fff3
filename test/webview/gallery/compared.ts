// Two lines beside each other, and the offer to let the files follow.
import { idle, Scene } from '../bench/scenes.js';
import type { State } from './states.js';

export function twoLines(): { scene: Scene; left_id: string; right_id: string } {
  const scene = new Scene();
  scene.user('Make the greeting friendlier');
  const answer = scene.answer('It could name the guest, or ask how the day was.');
  const write = (call_id: string, path: string, hash: string, content: string) => {
    scene.calls('', [{ call_id, name: 'write', input: { path, content } }]);
    scene.result(call_id, 'write', `Wrote ${path}.`);
    const after = hash.repeat(64);
    scene.add({ type: 'files_changed', changes: [{ path, before: null, after }] });
  };
  scene.user('Name the guest');
  write('w1', 'src/greet.ts', 'a', 'one\n');
  const right_id = scene.answer('It names the guest now:\n\n```ts\ngreet("Ada");\n```');
  scene.add({ type: 'head', entry_id: answer });
  scene.user('Ask about the day');
  write('w2', 'src/greet.ts', 'b', 'two\n');
  write('w3', 'test/greet.test.ts', 'c', 'three\n');
  const left_id = scene.answer('It asks about the day, and a test says so.');
  scene.add({ type: 'label', target_id: left_id, label: 'with a test' });
  return { scene, left_id, right_id };
}

export function compared(name: string, more: Partial<State>): State {
  const { scene, left_id, right_id } = twoLines();
  return { name, scene, compare: { left_id, right_id }, ...more };
}

export function filesOffered(): State {
  const { scene } = twoLines();
  scene.status = { ...idle, files: { count: 2, names: ['src/greet.ts', 'test/greet.test.ts'], changed: 1 } };
  return { name: 'files-offered', scene };
}
