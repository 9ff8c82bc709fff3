import { describe, expect, it } from 'vitest';
import { describePrune, isNothing, youngWords } from '../../../../src/host/sessions/prune-words.js';
import { sizeWords } from '../../../../src/host/sessions/size-words.js';
import { reportFindings } from '../../../../src/host/sessions/verify-report.js';
import type { LogReport, PruneReport, VerifyReport } from '../../../../src/log/upkeep.js';

const log = (more: Partial<LogReport> = {}): LogReport => ({
  ...{ id: 'one', title: 'Alder', file: '/s/one.jsonl', lines: 3, entries: 2, bytes: 1500 },
  ...{ damage: [], missingBlobs: [], repaired: [] },
  ...more,
});
const report = (more: Partial<VerifyReport> = {}): VerifyReport => ({
  ...{ folder: '/s', logs: [], orphans: [], strayFiles: [], repaired: [] },
  ...more,
});

describe('the report on session files', () => {
  it('says that all is in order, and lists every file', () => {
    const { text, troubles, repaired } = reportFindings([report({ logs: [log()] })], 'Monday');
    expect([troubles, repaired]).toEqual([0, 0]);
    expect(text).toContain('Monday. 1 session file, 1.5 KB: all in order.');
    expect(text).toContain('- Alder – 2 entries in 3 lines, 1.5 KB – /s/one.jsonl');
  });

  it('says what happens with a file that is empty, or of which nothing could be read, when something is said there', () => {
    const empty = log({ title: 'Bare', damage: [{ kind: 'empty', line: 1, reason: 'the file is empty' }] });
    const foreign = log({ title: 'Odd', isForeign: true, damage: [] });
    const { text } = reportFindings([report({ logs: [empty, foreign] })], 'Monday');
    expect(text).toMatch(/## Bare[^\n]*\n\n- the file is empty, [^\n]* begins it anew/);
    expect(text).toMatch(/## No session logs[^\n]*is said there is written behind[^\n]*\n\n- Odd/);
    expect(text).not.toMatch(/never written/);
  });

  it('ids of entries stand behind the words', () => {
    const lost = {
      kind: 'missing-parent',
      line: 4,
      reason: 'a message lost the one before it',
      ids: 'entry b',
    };
    const { text } = reportFindings([report({ logs: [log({ damage: [lost] })] })], 'Monday');
    expect(text).toContain('- line 4: a message lost the one before it (entry b)');
  });

  it('names what is wrong by file, line and reason, before what is in order', () => {
    const upset = log({
      title: 'Two\nlines',
      damage: [{ kind: 'unreadable-line', line: 7, reason: 'not JSON' }],
      missingBlobs: [{ hash: 'abcdef0123456789', reason: 'it is not there' }],
    });
    const { text, troubles } = reportFindings(
      [report({ logs: [log(), upset], orphans: ['/s/x.stream'], strayFiles: ['/s/y.tmp'] })],
      'Monday',
    );
    expect(troubles).toBe(3);
    expect(text).toContain('2 session files, 3.0 KB: 1 not in order.');
    expect(text).toMatch(
      /## Two lines[^\n]*\n\n- line 7: not JSON\n- stored text abcdef012345…: it is not there/,
    );
    expect(text).toContain('- /s/x.stream');
    expect(text).toContain('- /s/y.tmp');
    expect(text.indexOf('Two lines')).toBeLessThan(text.indexOf('Alder'));
  });

  it('says first what was mended, counts nothing else for that, and tells what stays', () => {
    const { text, repaired, mendable } = reportFindings(
      [
        report({
          logs: [
            log({
              repaired: ['The last line got its line break.'],
              damage: [{ kind: 'unreadable-line', line: 2, reason: 'not JSON' }],
            }),
            log({ title: 'Beech', unmended: 'Nothing was mended: in use.' }),
          ],
          repaired: ['The list was made anew.'],
        }),
      ],
      'Monday',
    );
    expect([repaired, mendable]).toEqual([1, 0]);
    expect(text).toMatch(/## Mended\n\n- Alder: The last line got its line break\.\n/);
    expect(text).toMatch(/## Could not be mended\n\n- Beech: Nothing was mended: in use\.\n/);
    expect(text).toMatch(/## Done besides\n\n- The list was made anew\.\n/);
    expect(text).toMatch(/stays as it is[^]*## Alder[^\n]*\n\n- line 2: not JSON/);
  });

  it('counts what can be mended', () => {
    const { mendable, text } = reportFindings(
      [report({ logs: [log({ mendable: 1 }), log(), log({ mendable: 2 })] })],
      '',
    );
    expect(mendable).toBe(3);
    expect(text).toContain(
      'run **Bough: Verify Session Files** from the Command Palette and choose **Repair**',
    );
    expect(text).toContain('It mends 3 of what is named below');
    expect(reportFindings([report({ logs: [log()] })], 'now').text).not.toContain('To repair');
  });

  it('says of a file that is no session log only that, and cuts a long list of lines', () => {
    const damage = Array.from({ length: 78 }, (_, index) => ({
      ...{ kind: 'unreadable-line', line: index + 1, reason: 'not JSON' },
    }));
    const { text, troubles } = reportFindings(
      [report({ logs: [log({ title: 'garbage', damage, isForeign: true }), log({ damage })] })],
      '',
    );
    expect(troubles).toBe(2);
    expect(text).toMatch(/## No session logs[^\n]*leaves them as they are[^\n]*\n\n- garbage/);
    expect(text).toContain('- and 58 more lines');
    expect(text.match(/not JSON/g)).toHaveLength(20);
  });
});

describe('what pruning deletes', () => {
  const nothing: PruneReport = { sessions: [], goals: [], results: [], bytes: 0, kept: [] };

  it('is counted by kind, with sizes, and cut where it gets long', () => {
    const sessions = Array.from({ length: 10 }, (_, index) => ({
      ...{ id: `s${index}`, title: `Session ${index}`, updated: 0, bytes: 2000 },
    }));
    const { short, detail } = describePrune([
      {
        sessions,
        goals: [],
        results: [{ session: 's', file: '/s/blob', bytes: 1 }],
        bytes: 20_001,
        kept: [{ session: 'Busy', reason: 'in use' }],
      },
    ]);
    expect(short).toBe('10 sessions, 1 left-over file, 20 KB');
    expect(detail).toContain('Session 0 (2.0 KB)');
    expect(detail).toContain('and 3 more');
    expect(detail).toMatch(/These stay:\nBusy: in use$/);
    expect(isNothing(nothing)).toBe(true);
  });

  it('tells of what is too young to go', () => {
    expect(youngWords([nothing])).toEqual([]);
    expect(
      youngWords([
        { ...nothing, young: 1 },
        { ...nothing, young: 1 },
      ]),
    ).toEqual([
      expect.stringMatching(/^2 stored texts or side files that no session names are younger .*a day/),
    ]);
  });

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.0 KB'],
    [999_499, '999 KB'],
    [999_500, '1.0 MB'],
    [5e15, '5000 TB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(sizeWords(bytes)).toBe(words);
  });
});
