import { describe, expect, it } from 'vitest';
import { bySaid, foremost, groupByTime, relativeTime, rowWord } from '../../../../src/host/sessions/rows.js';

const at = (text: string) => new Date(text).getTime();

describe('the description of a row', () => {
  const idle = { status: 'idle', archived: false } as const;

  it('is empty when nothing is to be said', () => {
    expect(rowWord(idle, undefined)).toBe('');
    expect(rowWord(idle, 'idle')).toBe('');
  });

  it('a live run wins over what the log says', () => {
    expect(rowWord({ status: 'incomplete', archived: false }, 'running')).toBe('running');
    expect(rowWord(idle, 'stopping')).toBe('running');
    expect(rowWord(idle, 'waiting')).toBe('waiting');
    expect(rowWord(idle, 'retrying')).toBe('retrying');
    expect(rowWord(idle, 'parked')).toBe('waiting');
  });

  it('without a run the log speaks', () => {
    expect(rowWord({ status: 'waiting', archived: false }, undefined)).toBe('waiting');
    expect(rowWord({ status: 'retrying', archived: false }, undefined)).toBe('retrying');
    expect(rowWord({ status: 'incomplete', archived: false }, undefined)).toBe('incomplete');
    expect(rowWord({ status: 'damaged', archived: false }, 'idle')).toBe('damaged');
    expect(rowWord({ status: 'unreadable', archived: true }, undefined)).toBe('damaged');
    expect(rowWord({ status: 'missing', archived: false }, undefined)).toBe('not found here');
    expect(rowWord({ status: 'unread', archived: false }, undefined)).toBe('not read');
    expect(rowWord({ status: 'unread', archived: false }, 'idle')).toBe('');
    expect(rowWord({ status: 'idle', archived: true }, undefined)).toBe('archived');
  });

  it('damage is said before a turn that was interrupted, whether the session is open here or not', () => {
    const damaged = { status: 'damaged', archived: false } as const;
    expect([rowWord(damaged, undefined), rowWord(damaged, 'idle', true)]).toEqual(['damaged', 'damaged']);
    expect(rowWord({ status: 'unreadable', archived: false }, 'idle', true)).toBe('damaged');
    expect(rowWord({ status: 'missing', archived: false }, 'idle', true)).toBe('not found here');
    expect(rowWord({ status: 'waiting', archived: false }, 'idle', true)).toBe('incomplete');
    expect(rowWord(idle, 'idle', true)).toBe('incomplete');
  });

  it('a list that lags behind does not call a session waiting that just ended here', () => {
    expect(rowWord({ status: 'waiting', archived: false }, 'idle')).toBe('');
  });
});

describe('the order of rows', () => {
  it('goes by what was said last, then by id', () => {
    const rows = [
      { id: 'b', said: 1 },
      { id: 'a', said: 1 },
      { id: 'c', said: 2 },
    ];
    expect(bySaid(rows).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });
});

describe('groups by time', () => {
  const now = at('2026-03-10T15:00:00');
  const row = (said: number) => ({ said });

  it('keeps the order and begins days at midnight', () => {
    const times = [
      '2026-03-10T00:00:00',
      '2026-03-09T23:59:59',
      '2026-03-04T12:00:00',
      '2026-02-20T12:00:00',
      '2025-01-01T00:00:00',
    ];
    const groups = groupByTime(
      times.map((time) => row(at(time))),
      now,
    );
    expect(groups.map(({ name }) => name)).toEqual(['today', 'yesterday', 'week', 'month', 'older']);
  });

  it('leaves out empty groups; a time in the future is today', () => {
    const groups = groupByTime([row(at('2099-01-01T00:00:00')), row(now)], now);
    expect(groups).toEqual([{ name: 'today', rows: [row(at('2099-01-01T00:00:00')), row(now)] }]);
  });
});

describe('relative time', () => {
  it('uses the largest unit that fits', () => {
    const now = at('2026-03-10T15:00:00');
    expect(relativeTime(now - 5_000, now, 'en')).toBe('5 seconds ago');
    expect(relativeTime(now - 61_000, now, 'en')).toBe('1 minute ago');
    expect(relativeTime(now - 2 * 3_600_000, now, 'en')).toBe('2 hours ago');
    expect(relativeTime(now - 30 * 3_600_000, now, 'en')).toBe('yesterday');
  });

  it('a clock that was set back does not promise the future', () => {
    expect(relativeTime(2_000, 1_000, 'en')).toBe('now');
  });
});

describe('the foremost of several runs', () => {
  it('is what needs the person, then what works', () => {
    expect(foremost([{ run: 'idle' }, { run: 'running' }, { run: 'waiting' }])?.run).toBe('waiting');
    expect(foremost([{ run: 'running' }, { run: 'parked' }])?.run).toBe('parked');
    expect(foremost([{ run: 'idle' }])).toBeUndefined();
  });
});
