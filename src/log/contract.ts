/**
 * What every session store must do, as a suite for any test runner of the describe/it/expect kind. A store author calls
 * {@link describeStore} with a function that makes a fresh, empty store; `reopen` makes another one over the same data.
 */
import { describeAppends } from './contract/appends.js';
import { describeDelete } from './contract/delete.js';
import { describeFork } from './contract/fork.js';
import { describeHandles } from './contract/handles.js';
import { describeList } from './contract/list.js';
import { describeOwners } from './contract/owners.js';
import { describePrune } from './contract/prune.js';
import { describeReopening } from './contract/reopening.js';
import { describeSideData } from './contract/side-data.js';
import type { Check, Runner, StoreUnderTest } from './contract/runner.js';

export type { FullStore, Runner, StoreUnderTest } from './contract/runner.js';

export function describeStore(name: string, runner: Runner, make: () => Promise<StoreUnderTest>): void {
  const { describe, it } = runner;
  const check: Check = (title, body) =>
    it(title, async () => {
      const under = await make();
      try {
        await body(under.store, under);
      } finally {
        await under.dispose();
      }
    });
  describe(name, () => {
    describeHandles(runner, check);
    describeAppends(runner, check);
    describeList(runner, check);
    describeDelete(runner, check);
    describeFork(runner, check);
    describePrune(runner, check);
    describeOwners(runner, check);
    describeSideData(runner, check);
    describeReopening(runner, check);
  });
}
