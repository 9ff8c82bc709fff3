import { describe, expect, it } from 'vitest';
import { actionButton, noticesOf, type NoticeFacts } from '../../../src/host/notices.js';
import type { LogDamage } from '../../../src/log/store.js';
import { failureActions, type Failure } from '../../../src/shared/failure.js';

const fine: NoticeFacts = {
  access: { mode: 'write' },
  damage: [],
  found: [],
  holder: null,
  lost: 0,
  isOvertaken: false,
  notSaved: null,
  model: null,
  settings: [],
};
const damage = (kind: LogDamage['kind'], line: number, reason = 'not JSON'): LogDamage => ({
  kind,
  line,
  reason,
});
const failure: Failure = {
  kind: 'storage',
  message: 'Could not write x: no space left on / (ENOSPC).',
  transient: false,
  code: 'StorageFailure',
};

describe('notices', () => {
  it('nothing to say, nothing said', () => {
    expect(noticesOf(fine)).toEqual([]);
  });

  it('A1: one sentence for all skipped lines, with their numbers and reasons', () => {
    const [notice, ...others] = noticesOf({
      ...fine,
      damage: [damage('unreadable-line', 4, 'NUL bytes'), damage('unreadable-line', 9)],
    });
    expect(others).toEqual([]);
    expect(notice).toMatchObject({
      kind: 'damaged',
      message: '2 damaged lines of this session were skipped; everything else is here.',
    });
    expect(notice?.detail).toBe('Line 4: NUL bytes\nLine 9: not JSON');
    expect(notice?.actions.map(({ command }) => command.type)).toEqual(['reveal_log']);
  });

  it('A1: a line whose record was kept is not said to be skipped, and has one number however much is wrong', () => {
    const kept = (line: number, reason: string): LogDamage => ({
      ...damage('unreadable-line', line, reason),
      kept: true,
    });
    const said = (faults: LogDamage[]) => noticesOf({ ...fine, damage: faults })[0]?.message;
    const nuls = kept(7, '300 NUL bytes around a record; the record was kept');
    expect(said([nuls])).toBe(
      '1 damaged line of this session was read as far as possible; everything else is here.',
    );
    expect(said([nuls, kept(7, 'bytes that are not UTF-8'), damage('unreadable-line', 8)])).toBe(
      '1 damaged line of this session was skipped, 1 was read as far as possible; everything else is here.',
    );
  });

  it('reasons are one line each, whatever stands in the file', () => {
    const [notice] = noticesOf({ ...fine, damage: [damage('unreadable-line', 7, 'not JSON (a\r\n b)')] });
    expect(notice?.detail).toBe('Line 7: not JSON (a b)');
  });

  it('A13: a message that lost its parent is recovered, not damaged', () => {
    const notices = noticesOf({
      ...fine,
      damage: [damage('missing-parent', 3, 'parent ghost is not in the file')],
    });
    expect(notices).toMatchObject([
      { kind: 'recovered', message: '1 message lost what came before; it is shown where it may belong.' },
    ]);
  });

  it('a tail that was set aside is not announced as one that will be', () => {
    const moved = { ...damage('torn-tail', 8, 'cut short; moved to x.damaged'), moved: true as const };
    const [notice] = noticesOf({ ...fine, damage: [moved] });
    expect(notice?.message).toMatch(/was set aside/);
    expect(notice?.message).not.toMatch(/will be/);
  });

  it('where nothing could be read, that is what is said', () => {
    const all = { isAll: true } as const;
    const said = (...faults: LogDamage[]) => noticesOf({ ...fine, damage: faults })[0];
    const empty = said({ ...damage('empty', 1), ...all });
    expect(empty?.kind).toBe('damaged');
    expect(empty?.message).toMatch(/is empty, and nothing of it could be read\..*begins it anew/);
    expect(empty?.detail).toBe('');
    expect(said({ ...damage('torn-tail', 1), ...all })?.message).toMatch(
      /^Nothing of this session could be read\..*will be set aside/,
    );
    const moved = said({ ...damage('torn-tail', 1, 'moved to x.damaged'), ...all, moved: true });
    expect(moved?.message).toMatch(/^Nothing of this session could be read\..*was set aside/);
    expect(moved?.detail).toContain('x.damaged');
    expect(said({ ...damage('header', 1), ...all })?.message).toMatch(/stays there/);
  });

  it('one that was emptied after it was opened is told as such', () => {
    const found = [{ ...damage('empty', 1, 'the file is empty') }];
    expect(noticesOf({ ...fine, found })[0]?.message).toMatch(/was emptied after it was opened/);
  });

  it('A3: a cut tail and a lost header are said in words', () => {
    const text = noticesOf({ ...fine, damage: [damage('torn-tail', 8), damage('header', 1)] })
      .map(({ message }) => message)
      .join();
    expect(text).toMatch(/cut off/);
    expect(text).toMatch(/first line/);
  });

  it('what was damaged after it was opened is told, since what is shown does not say so', () => {
    const [notice] = noticesOf({
      ...fine,
      found: [damage('unreadable-line', 3), damage('unreadable-line', 3)],
    });
    expect(notice).toMatchObject({
      kind: 'damaged',
      message: expect.stringMatching(/damaged after it was opened: 1 line is not in order/) as string,
      detail: 'Line 3: not JSON\nLine 3: not JSON',
    });
    expect(notice?.actions.map(({ label }) => label)).toEqual(['Reveal Log', 'Reopen']);
  });

  it('a log that is not found can be opened again when it is back, or leave the list', () => {
    const access = { mode: 'read-only', reason: 'missing', message: 'It is not found here.' } as const;
    const [notice] = noticesOf({ ...fine, access });
    expect(notice?.actions.slice(0, 2)).toMatchObject([
      { label: 'Reopen' },
      { label: 'Delete from List', command: { type: 'delete_session' } },
    ]);
  });

  it('many places are counted, not listed without end', () => {
    const [notice] = noticesOf({
      ...fine,
      damage: Array.from({ length: 20 }, (_, line) => damage('unreadable-line', line + 1)),
    });
    expect(notice?.detail?.split('\n')).toHaveLength(6);
    expect(notice?.detail).toMatch(/^Line 5: not JSON\nand 15 more$/m);
  });

  it('A11: a newer format, a stale and a poisoned handle say what to do', () => {
    const kinds = (access: NoticeFacts['access']) =>
      noticesOf({ ...fine, access }).map(({ kind, actions }) => [kind, actions[0]?.command.type]);
    expect(kinds({ mode: 'read-only', reason: 'newer', message: 'm' })).toEqual([['newer', 'new_session']]);
    expect(kinds({ mode: 'read-only', reason: 'archived', message: 'm' })).toEqual([
      ['read-only', 'unarchive_session'],
    ]);
    expect(kinds({ mode: 'read-only', reason: 'version-3', message: 'm' })).toEqual([
      ['read-only', 'continue_copy'],
    ]);
    expect(kinds({ mode: 'stale', message: 'm' })).toEqual([['stale', 'reopen']]);
    expect(kinds({ mode: 'stale', message: 'm', isGone: true })).toEqual([['stale', 'export_session']]);
    expect(kinds({ mode: 'poisoned', message: 'm' })).toEqual([['conflict', 'reopen']]);
  });

  it('B1: another window that works is named, and what can be done meanwhile', () => {
    const holder = { window: 'shop', pid: 41, host: 'here', since: '2026-01-05T09:00:00.000Z' };
    const [notice, ...others] = noticesOf({ ...fine, holder });
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ kind: 'read-only' });
    expect(notice?.message).toBe('Another window works (process 41).');
    expect(notice?.isBrief).toBe(true);
    expect(notice?.detail).toMatch(/“shop” on here, since /);
    expect(notice?.detail).toMatch(/go on here as soon as it is done, stopped or that window is closed/);
    // What could only refuse while that window works is not offered.
    expect(notice?.actions.map(({ command }) => command.type)).toEqual(['fork_session']);
  });

  it('B1: a prompt that another window was faster than can be kept as a branch', () => {
    const said = (access: NoticeFacts['access']) =>
      noticesOf({ ...fine, access, isOvertaken: true }).map(({ kind, actions }) => [
        kind,
        ...actions.map(({ command }) => command.type),
      ]);
    expect(said({ mode: 'write' })).toEqual([['conflict', 'keep_as_branch']]);
    expect(said({ mode: 'stale', message: 'm' })).toEqual([['conflict', 'keep_as_branch', 'reopen']]);
  });

  it('A9: entries that were there and are gone are counted', () => {
    const [notice] = noticesOf({ ...fine, lost: 1 });
    expect(notice).toMatchObject({ kind: 'damaged', actions: [{ command: { type: 'reveal_log' } }] });
    expect(notice?.message).toContain('1 entry that stood in it is not there any more');
    expect(noticesOf({ ...fine, lost: 3 })[0]?.message).toContain('3 entries that stood in it are');
  });

  it('A4: what could not be written says why and offers to save again', () => {
    const [notice] = noticesOf({ ...fine, notSaved: failure });
    expect(notice).toMatchObject({ kind: 'not-saved', message: failure.message });
    expect(notice?.actions[0]?.command).toEqual({ type: 'save_again' });
  });

  it('a model that cannot be had has the button that opens the place', () => {
    const [notice] = noticesOf({
      ...fine,
      model: { kind: 'auth', message: 'No key.', transient: false, action: 'set-key' },
    });
    expect(notice).toMatchObject({
      kind: 'config',
      message: 'No key.',
      actions: [{ command: { type: 'set_key' } }],
    });
  });

  it('every action has a button with a name', () => {
    for (const action of failureActions) expect(actionButton(action).label).not.toBe('');
  });
});
