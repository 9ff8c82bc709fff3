// The width that VS Code gives a side bar of its own accord, with all that can stand in the header and above the composer.
import { idle, Scene } from '../bench/scenes.js';
import type { State } from './states.js';

const DEFAULT_WIDTH = 297;

function branched(isNamed: boolean): Scene {
  const scene = new Scene();
  scene.user('Plan the move to the new API');
  const plan = scene.answer('There are three ways: all at once, by folder, or behind a flag.');
  scene.user('All at once');
  scene.answer('41 places would change at once.');
  scene.add({ type: 'head', entry_id: plan });
  const folders = scene.user('Folder by folder');
  if (isNamed) scene.add({ type: 'label', target_id: folders, label: 'the way that was preferred' });
  scene.calls('', [{ call_id: 'w1', name: 'write', input: { path: 'src/models/api.ts', content: '1\n' } }]);
  scene.result('w1', 'write', 'Changed src/models/api.ts (+1 −1).');
  scene.answer('Begin with src/models: nothing else imports it.');
  scene.add({
    type: 'usage',
    input_tokens: 110_200,
    output_tokens: 830,
    total_tokens: 111_030,
    purpose: 'step',
  });
  scene.status = { ...idle, changes: { count: 1, names: ['src/models/api.ts'] } };
  scene.title = 'Plan the move to the new API';
  return scene;
}

/** The narrowest a side bar can be made, its default, and where one row is enough. */
export const branchedStates = (): State[] => [
  { name: 'branched-narrowest', scene: branched(true), width: 170, height: 640 },
  { name: 'branched', scene: branched(false), width: DEFAULT_WIDTH, height: 640 },
  { name: 'branched-named', scene: branched(true), width: DEFAULT_WIDTH, height: 640 },
  { name: 'branched-wide', scene: branched(true), width: 400, height: 640 },
  { name: 'branched-tree', scene: branched(true), width: DEFAULT_WIDTH, height: 640, press: 'tree-toggle' },
];
