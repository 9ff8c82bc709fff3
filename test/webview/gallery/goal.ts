// A goal in each of its states.
import type { GoalView } from '../../../src/shared/goal.js';
import { idle, Scene } from '../bench/scenes.js';
import type { State } from './states.js';

const goal = {
  type: 'goal_update',
  goal_id: 'goal-1',
  objective: 'Make the greeting friendlier everywhere it is shown',
  criteria: 'npm test exits with 0, and no test was removed',
  max_iterations: 20,
} as const;

const missing = 'The greeting of the mail is still the old one.';

/** Two iterations: one that was found wanting, and the one that `view` is about. */
export function goalScene(view: GoalView, id = 'session-1'): Scene {
  const scene = new Scene(id);
  const begin = (iteration: number, text: string, reason?: string): void => {
    const turn_id = `turn-${iteration}`;
    scene.add({
      ...{ type: 'message', role: 'user', turn_id, origin: 'continuation', goal_id: 'goal-1' },
      parts: [{ type: 'text', text }],
    });
    scene.add({ type: 'turn_start', turn_id });
    const note = {
      ...goal,
      turn_id,
      iteration,
      operation_key: `goal-1-${iteration}`,
      phase: 'begun',
    } as const;
    scene.add({ ...note, status: 'active', ...(reason === undefined ? {} : { reason }) });
  };
  begin(1, goal.objective);
  scene.answer('The panel greets by name now.');
  scene.endTurn('turn-1');
  const found = { ...goal, turn_id: 'turn-1', iteration: 1, phase: 'evaluated', status: 'active' } as const;
  scene.add({ ...found, evaluation: { completed: false, reason: missing }, reason: missing });
  begin(2, 'Change the greeting of the mail too.', missing);
  if (view.status !== 'active') {
    scene.answer('The mail greets by name now.');
    scene.endTurn('turn-2');
    const isDone = view.status === 'completed';
    scene.add({
      ...{ ...goal, turn_id: 'turn-2', iteration: 2, status: view.status },
      ...(view.reason === undefined ? {} : { reason: view.reason }),
      phase: isDone ? 'evaluated' : 'answered',
      ...(isDone ? { evaluation: { completed: true, reason: view.reason ?? '' } } : {}),
    });
  }
  scene.status = { ...idle, run: view.status === 'active' ? 'running' : 'idle', goal: view };
  return scene;
}

export const goalStates = (): State[] => [
  { name: 'goal-active', scene: goalScene({ status: 'active', doing: 'working' }) },
  { name: 'goal-paused', scene: goalScene({ status: 'paused', doing: null, reason: 'You paused it.' }) },
  {
    name: 'goal-blocked',
    scene: goalScene({
      status: 'blocked',
      doing: null,
      reason: 'The mail server wants a password, and I have none. Put it into .env, then try again.',
    }),
    width: 300,
  },
  {
    name: 'goal-completed',
    scene: goalScene({
      status: 'completed',
      doing: null,
      reason: 'All 42 tests pass and both greetings name the guest.',
    }),
    pressWord: 'Goal:',
  },
];
