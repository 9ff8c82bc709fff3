import { describe, expect, it } from 'vitest';
import { buildRequest, wantedBlobs } from '../../../src/agent/context.js';
import type { ModelInfo, ModelRequest } from '../../../src/ports.js';
import { chatBody, chatViolations } from '../../protocols/chat-completions.js';
import { LogBuilder, call, placed, result } from '../shared/build.js';

const model: ModelInfo = { provider: 'p', id: 'm', label: 'M' };
const tools = [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' } }];

/** Each message's texts, joined. */
function told(log: LogBuilder): string[] {
  const request: ModelRequest = buildRequest(placed(log.entries), model, { system: 'S', tools });
  expect(chatViolations(chatBody(request))).toEqual([]);
  return request.messages.map(({ parts }) =>
    parts
      .map((part) => ('content' in part ? part.content : part.type === 'text' ? part.text : part.type))
      .join(' | '),
  );
}

const compact = (
  first_kept_entry_id: string,
  summary: string,
  more: object = {},
): Parameters<LogBuilder['add']>[0] => ({
  type: 'compaction',
  summary,
  first_kept_entry_id,
  tokens_before: 100,
  tokens_after: 10,
  ...more,
});
const collapse = (from_id: string, to_id: string, summary: string): Parameters<LogBuilder['add']>[0] => ({
  type: 'branch_summary',
  from_id,
  to_id,
  summary,
  collapse: true,
});
const talk = (count: number): LogBuilder => {
  const log = new LogBuilder();
  for (let at = 1; at <= count; at++) log.user(`u${at}`).assistant(`a${at}`);
  return log;
};

describe('compaction', () => {
  it('tells the summary, then the path from its first kept entry', () => {
    const log = talk(3)
      .add(compact('u3', 'SUM', { read_files: ['a.ts'], modified_files: ['b.ts', 'c.ts'] }))
      .user('u4');
    const [first, ...rest] = told(log);
    expect(first).toMatch(
      /^\[Summary of the conversation so far.*\]\n\nSUM\n\nFiles read: a\.ts\n\nFiles changed: b\.ts, c\.ts\n\nu3$/s,
    );
    expect(rest).toEqual(['a3', 'u4']);
  });

  it('counts only the last one, which chains the one before', () => {
    const log = talk(2)
      .add(compact('u2', 'ONE'))
      .user('u3')
      .assistant('a3')
      .add(compact('u3', 'TWO'))
      .user('u4');
    expect(told(log).join()).toMatch(/TWO\n\nu3,a3,u4$/);
    expect(told(log).join()).not.toContain('ONE');
  });

  it('is passed over when its first kept entry is not on the path: rather too much than too little', () => {
    const log = talk(2)
      .add(compact('u2', 'ONE'))
      .user('u3')
      .assistant('a3')
      .add(compact('lost', 'TWO'))
      .user('u4');
    expect(told(log).join()).toMatch(/ONE\n\nu2,a2,u3,a3,u4$/);
  });

  it('is passed over when its first kept entry comes after it', () => {
    const log = talk(1).add(compact('u3', 'SUM')).user('u2').assistant('a2').user('u3');
    expect(told(log)).toEqual(['u1', 'a1', 'u2', 'a2', 'u3']);
  });

  it('of the kind prune has no summary and still leaves out what was before', () => {
    expect(
      told(
        talk(2)
          .add(compact('u2', '', { kind: 'prune' }))
          .user('u3'),
      ),
    ).toEqual(['u2', 'a2', 'u3']);
  });

  it('may keep nothing', () => {
    const log = talk(1)
      .add({ ...compact('k', 'SUM'), id: 'k' })
      .user('u2');
    expect(told(log)).toHaveLength(1);
    expect(told(log)[0]).toMatch(/SUM\n\nu2$/);
  });

  it('E11: is a view; before it the path is told whole', () => {
    const log = talk(2).add(compact('u2', 'SUM')).go('a1').user('again');
    const fold = log.fold();
    const line = fold.linePositions().flatMap((position) => placed(log.entries)[position] ?? []);
    const { messages } = buildRequest(line, model, { system: 'S', tools });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(messages)).not.toContain('SUM');
  });
});

describe('collapsed ranges', () => {
  it('stand as a summary where the range began', () => {
    const told4 = told(
      talk(3)
        .add(collapse('u2', 'a2', 'SUM'))
        .user('u4'),
    );
    expect(told4[2]).toMatch(/^\[Summary of this part.*\]\n\nSUM\n\nu3$/s);
    expect(told4.slice(0, 2)).toEqual(['u1', 'a1']);
    expect(told4.slice(3)).toEqual(['a3', 'u4']);
  });

  it('may be contained by a later one, whose summary alone is told', () => {
    const log = talk(3)
      .add(collapse('u2', 'a2', 'SMALL'))
      .user('u4')
      .add(collapse('u1', 'a3', 'LARGE'))
      .user('u5');
    expect(told(log).join()).toMatch(/LARGE.*u4.*u5/s);
    expect(told(log).join()).not.toContain('SMALL');
  });

  it.each([
    {
      why: 'overlaps another',
      log: talk(3)
        .add(collapse('u1', 'a2', 'ONE'))
        .user('u4')
        .add(collapse('u2', 'a3', 'TWO'))
        .user('u5'),
      kept: /ONE\n\nu3,a3,u4\n\n.*TWO/s,
    },
    {
      why: 'contains a compaction',
      log: talk(2)
        .add(compact('u2', 'ONE'))
        .user('u3')
        .add(collapse('u2', 'u3', 'TWO'))
        .user('u4'),
      kept: /ONE\n\nu2,a2,u3\n\n.*TWO/s,
    },
    {
      why: 'is not on the path',
      log: talk(2)
        .add(collapse('u1', 'lost', 'TWO'))
        .user('u4'),
      kept: /^u1,a1,u2,a2,.*TWO/s,
    },
    {
      why: 'reaches beyond the summary itself',
      log: talk(2)
        .add(collapse('u2', 'u4', 'TWO'))
        .user('u4'),
      kept: /^u1,a1,u2,a2,.*TWO\n\nu4$/s,
    },
    {
      why: 'is the wrong way round',
      log: talk(2)
        .add(collapse('a2', 'u1', 'TWO'))
        .user('u4'),
      kept: /^u1,a1,u2,a2,.*TWO/s,
    },
  ])('leave the path as it is when the range $why', ({ log, kept }) => {
    expect(told(log).join()).toMatch(kept);
  });

  it('do not matter when a later compaction keeps what lies behind them', () => {
    const log = talk(3)
      .add(collapse('u1', 'a1', 'OLD'))
      .user('u4')
      .add(compact('u3', 'SUM'))
      .user('u5');
    expect(told(log).join()).not.toContain('OLD');
  });

  it('let a later compaction that keeps from inside them begin at their summary', () => {
    const log = talk(3)
      .add(collapse('u2', 'a2', 'MID'))
      .user('u4')
      .add(compact('a2', 'SUM'))
      .user('u5');
    expect(told(log)[0]).toMatch(/SUM\n\n\[Summary of this part.*MID\n\nu3$/s);
  });

  it('take calls and results with them', () => {
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1', [call('c1')])
      .tool('r1', [result('c1', 'INSIDE')]);
    log
      .assistant('a2')
      .user('u2')
      .add(collapse('a1', 'a2', 'SUM'))
      .user('u3');
    expect(told(log).join()).not.toContain('INSIDE');
  });
});

describe('other entries', () => {
  it('tells the summary of a branch that was left as a user message', () => {
    const log = talk(1)
      .add({ type: 'branch_summary', from_id: 'x', to_id: 'y', summary: 'TRIED' })
      .user('u2');
    expect(told(log)[2]).toMatch(/another branch.*TRIED\n\nu2$/s);
  });

  it('tells a skill after the results of the calls it stands between', () => {
    const skill = {
      type: 'skill_load' as const,
      name: 'pdf',
      description: 'Reads PDF',
      body: 'BODY',
      resource_base: '/s',
    };
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1', [call('c1')])
      .add(skill)
      .tool('r1', [result('c1')]);
    expect(told(log)).toEqual([
      'u1',
      'tool_call',
      'ok',
      '[Skill "pdf": Reads PDF]\n\nBODY\n\nIts files lie in /s.',
    ]);
  });

  it('asks for the blobs it would use and fills in their texts', () => {
    const hash = 'd'.repeat(64);
    const log = new LogBuilder().add({
      type: 'message',
      role: 'user',
      parts: [{ type: 'text', text: '', blob: hash, preview: 'BEGIN' }],
    });
    const line = placed(log.entries);
    expect(wantedBlobs(line, model)).toEqual([hash]);
    const blobs = new Map([[hash, new TextEncoder().encode('THE WHOLE')]]);
    expect(JSON.stringify(buildRequest(line, model, { system: '', tools, blobs }))).toContain('THE WHOLE');
    expect(told(log)[0]).toBe('BEGIN\n[The rest of this text could not be read.]');
  });
});
