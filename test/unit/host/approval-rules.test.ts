import { describe, expect, it } from 'vitest';
import {
  createApprovalRules,
  readRules,
  type AddedRule,
  type Rule,
  type RuleStore,
} from '../../../src/host/approval-rules.js';

function memory(initial: unknown = []): RuleStore & { value: unknown } {
  const store = {
    value: initial,
    read: () => store.value,
    write: (rules: Rule[]) => {
      store.value = rules;
      return Promise.resolve();
    },
  };
  return store;
}
const run = (subject: string) => ({ tool: 'run', risk: 'run', subject }) as const;

describe('remembered approvals', () => {
  it('nothing is allowed without a rule', () => {
    expect(createApprovalRules(memory(), 'file:///a').allows(run('npm test'), [])).toBe(false);
  });

  it('session: given back as a pattern for the session to keep, nowhere else', async () => {
    const store = memory();
    const rules = createApprovalRules(store, 'file:///a');
    const rule = await rules.remember(run('npm test -- --token=hunter2'), 'session');
    expect(rule).toEqual({ tool: 'run', pattern: 'npm test *' });
    expect(store.value).toEqual([]);
    expect(rules.allows(run('npm test -- -u'), [])).toBe(false);
    expect(rules.allows(run('npm test -- -u'), [{ tool: 'run', pattern: 'npm test *' }])).toBe(true);
    expect(rules.allows(run('npm publish'), [{ tool: 'run', pattern: 'npm test *' }])).toBe(false);
  });

  it('workspace without a folder is no more than the session', async () => {
    const store = memory();
    const rule = await createApprovalRules(store, undefined).remember(run('npm test'), 'workspace');
    expect(rule).toEqual({ tool: 'run', pattern: 'npm test *' });
    expect(store.value).toEqual([]);
  });

  it('workspace: in the settings, for this folder only', async () => {
    const store = memory();
    await createApprovalRules(store, 'file:///a').remember(run('npm test'), 'workspace');
    expect(store.value).toEqual([{ tool: 'run', pattern: 'npm test *', folder: 'file:///a' }]);
    expect(createApprovalRules(store, 'file:///a').allows(run('npm test'), [])).toBe(true);
    expect(createApprovalRules(store, 'file:///b').allows(run('npm test'), [])).toBe(false);
  });

  it('says what is allowed from now on, can take it back, and keeps words beside what nobody can read', async () => {
    const store = memory([{ tool: 'edit', pattern: 'a.ts' }]);
    const added: AddedRule[] = [];
    const rules = createApprovalRules(store, 'file:///a', (one) => added.push(one));
    await rules.remember(run('npm test -- x'), 'workspace');
    await rules.remember(run('echo "a secret" > b.txt'), 'always');
    await rules.remember(run('echo "a secret" > b.txt'), 'always');
    await rules.remember(run('git push'), 'session');
    expect(added.map(({ words }) => words)).toEqual([
      'all commands that begin with npm test, in this folder',
      'exactly this one command of echo, in any folder',
    ]);
    expect(readRules(store.value)[2]?.about).toBe('exactly this one command of echo');
    expect(JSON.stringify(store.value)).not.toContain('secret');
    await added[1]?.undo();
    await added[0]?.undo();
    expect(store.value).toEqual([{ tool: 'edit', pattern: 'a.ts' }]);
  });

  it.each([
    [run('git commit -v'), 'all commands that begin with git commit'],
    [run('git push --force'), 'exactly this one command of git'],
    [run('npm test --script-shell=./a'), 'exactly this one command of npm'],
    [run('TOKEN=x npm test'), 'all commands that begin with npm test, with TOKEN set'],
    [run('rm -rf build'), 'exactly this one command of rm'],
    [run('(cd a)'), 'exactly this command'],
    [run('for i in 1 2; do echo $i; done'), 'exactly this command'],
    [{ tool: 'write', subject: 'src/a*.ts' }, 'writing src/a*.ts'],
    [{ tool: 'mcp_x', subject: 'y' }, 'the tool mcp_x with y'],
  ])('says in words what %j would allow', (call, words) => {
    expect(createApprovalRules(memory(), undefined).describe(call)).toBe(words);
  });

  it('always: everywhere, written once, for this tool only', async () => {
    const store = memory([{ tool: 'edit', pattern: 'a.ts' }]);
    const rules = createApprovalRules(store, 'file:///a');
    await rules.remember(run('npm test'), 'always');
    await rules.remember(run('npm test -- x'), 'always');
    expect(store.value).toEqual([
      { tool: 'edit', pattern: 'a.ts' },
      { tool: 'run', pattern: 'npm test *' },
    ]);
    expect(createApprovalRules(store, undefined).allows(run('npm test'), [])).toBe(true);
    expect(rules.allows({ tool: 'write', risk: 'write', subject: 'a.ts' }, [])).toBe(false);
  });

  it('what is no rule allows nothing', () => {
    expect(
      readRules([
        null,
        3,
        {},
        { tool: 'run' },
        { tool: 'run', pattern: '' },
        { tool: 'run', pattern: 'ls', folder: 3 },
      ]),
    ).toEqual([]);
    expect(readRules('run')).toEqual([]);
  });
});
