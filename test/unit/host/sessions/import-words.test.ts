import { describe, expect, it } from 'vitest';
import { importWords } from '../../../../src/host/sessions/import-words.js';
import type { LogDamage } from '../../../../src/log/store.js';

const outline = [
  ['a', -1, 'message', 1, 'Hello', 0],
  ['b', 0, 'compaction', 0, '', 1],
] as unknown as Parameters<typeof importWords>[0]['outline'];
const damage = (kind: LogDamage['kind'], line: number, kept?: true): LogDamage => ({
  ...{ kind, line, reason: 'not\n JSON' },
  ...(kept === undefined ? {} : { kept }),
});

describe('what an import says', () => {
  it('is nothing when all was understood', () => {
    expect(importWords({ outline, damage: [] })).toBeUndefined();
  });

  it('counts messages, and each line that was not taken as it stands, once', () => {
    const said = importWords({
      outline,
      damage: [
        damage('unreadable-line', 2),
        damage('unreadable-line', 2),
        damage('torn-tail', 9),
        damage('unreadable-line', 4, true),
        damage('missing-parent', 5),
      ],
    });
    expect(said).toBe(
      'Imported 1 message, 2 lines left out as damaged, 1 line read as far as possible, 1 line put where they may belong. The file itself is as it was. Line 2: not JSON.',
    );
  });

  it('tells of a header that was made up', () => {
    expect(importWords({ outline, damage: [damage('header', 1)] })).toContain('no header of a session');
  });
});
