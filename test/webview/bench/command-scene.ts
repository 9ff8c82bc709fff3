// A turn in which a command is asked for, as two scenes of one session.
import { idle, Scene } from './scenes.js';

export function workingScene(): Scene {
  const scene = new Scene();
  scene.turn('Clean up', 'turn-1');
  scene.status = { ...idle, run: 'running' };
  return scene;
}

/** Lets a card for `rm -rf build` appear. */
export function askForApproval(scene: Scene): ReturnType<Scene['append']> {
  scene.status = { ...idle, run: 'waiting' };
  return scene.append(() => {
    scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'rm -rf build' } }], 'turn-1');
    scene.add({
      type: 'approval_request',
      call_id: 'r1',
      tool: 'run',
      summary: 'Run rm -rf build',
      input_hash: 'x',
      targets: [],
      risk: 'run',
      turn_id: 'turn-1',
    });
  });
}
