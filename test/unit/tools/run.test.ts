import { describe, expect, it } from 'vitest';
import type { TerminalResult } from '../../../src/ports.js';
import { call, prepare } from './call.js';
import { fakeWorkspace, finished } from './fake-workspace.js';

describe('run', () => {
  it('is one sentence before and one outcome after', async () => {
    const workspace = fakeWorkspace({ run: () => ({ ...finished('2 failed\n', 1), elapsed_ms: 4100 }) });
    expect(await prepare(workspace, 'run', { command: 'npm test' })).toMatchObject({
      sentence: 'Run npm test',
      risk: 'run',
      subject: 'npm test',
      targets: [],
    });
    expect(await call(workspace, 'run', { command: 'npm test' })).toEqual({
      content: '2 failed\n\n[Exit code 1 after 4 s.]',
      is_error: true,
      outcome: 'exit 1 · 4 s',
    });
  });

  it('refuses what no shell can be given', async () => {
    const refused = await prepare(fakeWorkspace(), 'run', { command: 'echo a\0b' });
    expect(refused).toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('NUL') as string,
    });
  });

  it('shortens a long command in the sentence only, and visibly', async () => {
    const command = `echo one\n${'echo two\n'.repeat(30)}`;
    expect(await prepare(fakeWorkspace(), 'run', { command })).toMatchObject({
      sentence: 'Run echo one …',
      subject: command,
    });
  });

  it('passes folder, limit, signal and live output on', async () => {
    const seen: unknown[] = [];
    const controller = new AbortController();
    const workspace = fakeWorkspace({
      files: { 'pkg/a': '' },
      run: (_command, { cwd, timeoutMs, signal, onOutput }) => {
        onOutput('half');
        seen.push(cwd.shown, timeoutMs, signal === controller.signal);
        return finished('half');
      },
    });
    const input = { command: 'ls', cwd: 'pkg', timeout_ms: 5 };
    expect(await prepare(workspace, 'run', input)).toMatchObject({ sentence: 'Run ls in pkg' });
    await call(workspace, 'run', input, { signal: controller.signal, report: (chunk) => seen.push(chunk) });
    expect(seen).toEqual(['half', 'pkg', 5, true]);
  });

  it('says that it was ended by its time limit, by a signal, or by the person', async () => {
    const ended = { ...finished(''), exit_code: null, signal: 'SIGKILL' };
    const timedOut = fakeWorkspace({ run: () => ({ ...ended, timed_out: true, elapsed_ms: 120_000 }) });
    const late = await call(timedOut, 'run', { command: 'sleep 999' });
    expect(late).toMatchObject({ is_error: true, outcome: 'timed out · 2 min' });
    expect(late.content).toContain('its time limit was 2 min');
    const killed = fakeWorkspace({ run: () => ended });
    expect(await call(killed, 'run', { command: 'x' })).toMatchObject({
      is_error: true,
      outcome: 'SIGKILL · 1 s',
    });
    const controller = new AbortController();
    const stopped = fakeWorkspace({
      run: () => {
        controller.abort();
        return ended;
      },
    });
    const outcome = await call(stopped, 'run', { command: 'x' }, { signal: controller.signal });
    expect(outcome).toMatchObject({ is_error: true, outcome: 'stopped · 1 s' });
  });

  it('says that nothing was printed and that processes were left behind', async () => {
    const workspace = fakeWorkspace({ run: () => ({ ...finished(' \n'), left_running: 1 }) });
    const { content } = await call(workspace, 'run', { command: 'sleep 9 &' });
    expect(content).toContain('[The command printed nothing.]');
    expect(content).toContain('[It left 1 process running; they were ended.]');
  });

  it('runs in the terminal when the person wants it there, and says so and what is known of its end', async () => {
    const result = {
      ...{ terminal: 'bash', end: 'ended' as const, exit_code: 0, output: 'all well\n' },
      ...{ dropped_bytes: 0, timed_out: false, elapsed_ms: 2000 },
    };
    const said = async (over: Partial<TerminalResult>, command = 'npm test') => {
      const workspace = fakeWorkspace({ inTerminal: () => ({ ...result, ...over }) });
      const outcome = await call(workspace, 'run', { command }, { place: 'terminal' });
      expect(workspace.commands).toEqual([]);
      return outcome;
    };
    expect(await said({})).toEqual({
      content: 'all well\n\n[It ran in the person\'s terminal "bash".]\n[Exit code 0 after 2 s.]',
      is_error: false,
      outcome: 'exit 0 · 2 s · in the terminal',
    });
    expect(await said({ exit_code: 3 })).toMatchObject({ is_error: true });
    const closed = await said({ end: 'closed', exit_code: null, output: '' });
    expect(closed).toMatchObject({ is_error: true, outcome: 'terminal closed · 2 s · in the terminal' });
    expect(closed.content).toContain('[Nothing was printed.]');
    expect(closed.content).toContain('how the command ended is not known');
    const late = await said({ end: 'running', exit_code: null, timed_out: true });
    expect(late.content).toContain('[Its time limit was 2 min: Ctrl+C was sent.]');
    expect(late.content).toContain('may still run there');
    expect((await said({ exit_code: null })).content).toContain('did not tell its exit code');
    for (const command of ['echo a\necho b', 'echo \u0003; rm -rf x', 'echo\tx', 'a\rb'])
      expect(await said({}, command)).toMatchObject({
        is_error: true,
        content: expect.stringContaining('was not run') as string,
      });
    expect(await said({}, 'ls\n')).toMatchObject({ is_error: false });
  });

  it('B5: output that reads like a full disk is the command’s, never a failure of our store', async () => {
    const workspace = fakeWorkspace({
      run: () => finished('write failed: ENOSPC: no space left on device\n', 1),
    });
    const outcome = await call(workspace, 'run', { command: 'cp big /mnt' });
    expect(Object.keys(outcome).sort()).toEqual(['content', 'is_error', 'outcome']);
    expect(outcome).toMatchObject({ is_error: true, outcome: 'exit 1 · 1 s' });
    expect(outcome.content).toContain('ENOSPC');
  });
});
