/** Who has the keyboard when something that VS Code asked is closed. */
import { beforeEach, expect, it } from 'vitest';
import { FocusBack, type Keeper } from '../../../../src/host/chat/focus-back.js';
import { FakeClock } from '../../agent/fake-clock.js';

let clock: FakeClock;
let focus: FocusBack;
let chat: Keeper;
let world: { hasFocus: boolean; front: string; isInSight: boolean; taken: number; returned: number };
beforeEach(() => {
  clock = new FakeClock();
  world = { hasFocus: true, front: 'a.ts', isInSight: true, taken: 0, returned: 0 };
  chat = { isInSight: () => world.isInSight, takeFocus: () => world.taken++ };
  focus = new FocusBack({
    clock,
    focused: () => (world.hasFocus ? chat : undefined),
    front: () => world.front,
    toQuestion: () => void world.returned++,
  });
});

/** As VS Code does it: what opens has the keyboard. */
function open(isModal = false): () => void {
  const closed = focus.opened(isModal);
  world.hasFocus = false;
  return closed;
}

it('is given back at once when what asked is over', () => {
  focus.begins();
  open()();
  expect(world.taken).toBe(0);
  focus.settled();
  expect(world.taken).toBe(1);
});

it('is not given back between two questions of a command that tries something meanwhile', async () => {
  focus.begins();
  open()();
  await clock.advance(900);
  const closed = open();
  await clock.advance(10_000);
  expect(world.taken).toBe(0);
  closed();
  focus.settled();
  expect(world.taken).toBe(1);
});

it('goes to the next question when the chat takes it only after that was asked, and to the chat in the end', async () => {
  open()();
  await clock.advance(100);
  const closed = open();
  focus.arrived();
  expect([world.taken, world.returned]).toEqual([1, 1]);
  closed();
  await clock.advance(100);
  expect(world.taken).toBe(2);
  focus.arrived();
  expect(world.returned).toBe(1);
});

it('stays with a person who clicks into the chat beside an open question', async () => {
  const closed = open();
  focus.arrived();
  closed();
  await clock.advance(1_000);
  expect([world.taken, world.returned]).toEqual([0, 0]);
});

it('is given back when the list is closed, however long what follows takes', async () => {
  focus.begins();
  open()();
  await clock.advance(1_000);
  expect(world.taken).toBe(1);
  // Minutes later: the person is in a file by then.
  focus.left();
  focus.settled();
  expect(world.taken).toBe(1);
});

it('is not taken from the next question', async () => {
  open()();
  await clock.advance(50);
  const closed = open();
  await clock.advance(1000);
  expect(world.taken).toBe(0);
  closed();
  await clock.advance(100);
  expect(world.taken).toBe(1);
});

it('is given back after a question that was faster than the chat', async () => {
  open()();
  await clock.advance(100);
  open()();
  await clock.advance(100);
  expect(world.taken).toBe(2);
});

it.each<[string, () => void]>([
  ['clicked or typed in an editor', () => focus.left()],
  ['went to another window', () => focus.setAway(true)],
  ['brought another editor to the front', () => (world.front = 'b.ts')],
  ['closed the side bar, or the tab', () => (world.isInSight = false)],
])('is left to a person who %s', async (_, go) => {
  focus.begins();
  const closed = open();
  go();
  closed();
  focus.settled();
  await clock.advance(1000);
  expect(world.taken).toBe(0);
});

it('is given back to a person who came back to answer, and after a dialog, which is a window of its own', () => {
  focus.begins();
  const closed = open();
  focus.setAway(true);
  focus.setAway(false);
  closed();
  focus.settled();
  focus.begins();
  expect(world.taken).toBe(1);
  world.hasFocus = true;
  const decided = open(true);
  focus.setAway(true);
  decided();
  focus.settled();
  expect(world.taken).toBe(2);
});

it('is not given to a chat that did not have it', async () => {
  focus.begins();
  world.hasFocus = false;
  open()();
  focus.settled();
  await clock.advance(1000);
  expect(world.taken).toBe(0);
});
