import { describe, expect, it } from 'vitest';
import { cleanDrafts, Drafts, withBrought } from '../../../../src/host/chat/drafts.js';
import type { ComposerDraft } from '../../../../src/shared/composer-draft.js';
import { FakeClock, idle } from '../../agent/fake-clock.js';

const typed = (text: string): ComposerDraft => ({ text, editing: null });

function make(files = new Map<string, ComposerDraft>()) {
  const clock = new FakeClock();
  const writes: string[] = [];
  const errors: unknown[] = [];
  let refusal: Error | undefined;
  const store = {
    read: (session: string) => Promise.resolve(files.get(session)),
    write: (session: string, draft: ComposerDraft) => {
      if (refusal) return Promise.reject(refusal);
      writes.push(`${session}: ${draft.text}`);
      files.set(session, draft);
      return Promise.resolve();
    },
  };
  const refuse = (error: Error | undefined) => (refusal = error);
  return {
    drafts: new Drafts(store, clock, (error) => errors.push(error)),
    clock,
    files,
    writes,
    errors,
    refuse,
  };
}

describe('drafts', () => {
  it('G11: typing is written once it rests, and comes back after a restart', async () => {
    const first = make();
    for (const text of ['h', 'he', 'hey']) first.drafts.write('one', typed(text));
    await first.clock.advance(1_000);
    expect(first.writes).toEqual(['one: hey']);
    expect(await make(first.files).drafts.read('one')).toEqual(typed('hey'));
  });

  it('a view that tells what was made of a proposal a moment ago takes nothing back that was made since', async () => {
    const { drafts } = make();
    const madeOf = (after: string) => ({ ...typed(''), unsent: { call: { after } } });
    drafts.write('one', madeOf('first'));
    drafts.write('one', madeOf('first and second'));
    drafts.writeShown('one', { ...madeOf('first'), text: 'typed meanwhile' });
    expect(await drafts.read('one')).toEqual({ ...madeOf('first and second'), text: 'typed meanwhile' });
    // It may drop it, say what to do instead, and bring some that is not known here.
    drafts.writeShown('one', { ...typed(''), unsent: { call: { feedback: 'no' } } });
    expect(await drafts.read('one')).toEqual({ ...typed(''), unsent: { call: { feedback: 'no' } } });
    drafts.writeShown('one', madeOf('brought'));
    expect(await drafts.read('one')).toEqual(madeOf('brought'));
  });

  it('typing that does not rest is written as it goes on', async () => {
    const { drafts, clock, writes } = make();
    for (const text of ['a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef']) {
      drafts.write('one', typed(text));
      await clock.advance(100);
    }
    expect(writes.length).toBeGreaterThan(1);
    await drafts.flush();
    expect(writes.at(-1)).toBe('one: abcdef');
  });

  it('H11: a stored key that was pasted is in the composer and not on disk', async () => {
    const files = new Map<string, ComposerDraft>();
    const store = {
      read: (session: string) => Promise.resolve(files.get(session)),
      write: (session: string, draft: ComposerDraft) => Promise.resolve(void files.set(session, draft)),
    };
    const keys = (text: string): string => text.replaceAll('planted-0123', '[redacted]');
    const clean = cleanDrafts(store, { keys, tokens: keys, begun: () => 0 });
    const drafts = new Drafts(clean, new FakeClock(), () => undefined);
    const draft: ComposerDraft = {
      text: 'use planted-0123',
      editing: null,
      attachments: [{ kind: 'terminal', label: 'Terminal', text: 'KEY=planted-0123' }],
      aside: { text: 'and planted-0123' },
      unsent: { r1: { texts: ['echo planted-0123'], feedback: 'not planted-0123' } },
    };
    drafts.write('one', draft);
    await drafts.flush();
    expect(JSON.stringify(files.get('one'))).not.toContain('planted');
    expect(files.get('one')?.text).toBe('use [redacted]');
    expect(await drafts.read('one')).toEqual(draft);
    expect(await new Drafts(clean, new FakeClock(), () => undefined).read('one')).toEqual(files.get('one'));
  });

  it('each session has its own; one without any is empty', async () => {
    const { drafts } = make();
    drafts.write('one', typed('a'));
    expect(await drafts.read('one')).toEqual(typed('a'));
    expect(await drafts.read('two')).toEqual(typed(''));
  });

  it('flush writes what still waits', async () => {
    const { drafts, writes } = make();
    drafts.write('one', typed('a'));
    drafts.write('two', typed('b'));
    await drafts.flush();
    expect(writes.sort()).toEqual(['one: a', 'two: b']);
  });

  it('what was typed while the file was read is newer', async () => {
    const { drafts } = make(new Map([['one', typed('old')]]));
    const reading = drafts.read('one');
    drafts.write('one', typed('new'));
    expect(await reading).toEqual(typed('new'));
  });

  it('a write that fails is told, and the next change is written', async () => {
    const { drafts, clock, errors, writes, refuse } = make();
    refuse(new Error('disk full'));
    drafts.write('one', typed('a'));
    await clock.advance(1_000);
    expect(errors).toMatchObject([{ message: 'disk full' }]);
    refuse(undefined);
    drafts.write('one', typed('ab'));
    await clock.advance(1_000);
    expect(writes).toEqual(['one: ab']);
  });

  it('G11: a prompt that was sent is no draft any more, at once and on disk too', async () => {
    const { drafts, files, clock } = make();
    drafts.write('one', typed('Hello'));
    await clock.advance(1_000);
    drafts.sent('one', 'Hello');
    await idle();
    expect(files.get('one')).toEqual(typed(''));
    expect(await drafts.read('one')).toEqual(typed(''));
  });

  it('what was typed on a card stays when a prompt is sent', async () => {
    const { drafts, files } = make();
    const unsent = { r1: { feedback: 'rather not' } };
    drafts.write('one', { ...typed('go'), unsent });
    drafts.sent('one', 'go');
    await drafts.flush();
    expect(files.get('one')).toEqual({ ...typed(''), unsent });
  });

  it('a draft that waits to be written when its prompt is sent is not written', async () => {
    const { drafts, clock, writes } = make();
    drafts.write('one', { text: 'Hello\n', editing: 'm1' });
    drafts.sent('one', 'Hello');
    await clock.advance(1_000);
    expect(writes).toEqual(['one: ']);
  });

  it('G11: attachments and what an edit put aside are kept, and come back when the edit is sent', async () => {
    const { drafts, files, clock } = make();
    const attachments = [{ kind: 'file' as const, label: 'Pasted text', text: 'a log' }];
    const whole = { ...typed('an edit'), editing: 'm1', aside: { text: 'half a thought', attachments } };
    drafts.write('one', { ...typed('an edit'), editing: 'm1' });
    drafts.write('one', whole);
    await clock.advance(1_000);
    expect(files.get('one')).toEqual(whole);
    drafts.sent('one', 'an edit');
    expect(await drafts.read('one')).toEqual({ ...typed('half a thought'), attachments });
    drafts.write('one', { ...typed(''), attachments });
    drafts.sent('one', '');
    expect(await drafts.read('one')).toEqual(typed(''));
  });

  it('what was typed after the prompt was sent stays', async () => {
    const { drafts, clock, writes } = make();
    drafts.write('one', typed('And then?'));
    drafts.sent('one', 'Hello');
    drafts.sent('two', 'Hello');
    await clock.advance(1_000);
    expect(writes).toEqual(['one: And then?']);
  });

  it('one that cannot be read is told, and is none', async () => {
    const errors: unknown[] = [];
    const unreadable = {
      read: () => Promise.reject(new Error('access is denied')),
      write: () => Promise.resolve(),
    };
    const drafts = new Drafts(unreadable, new FakeClock(), (error) => errors.push(error));
    expect(await drafts.read('one')).toEqual(typed(''));
    expect(errors).toHaveLength(1);
  });

  it('a session that is gone takes its draft along', async () => {
    const { drafts, clock, writes } = make();
    drafts.write('one', typed('a'));
    drafts.forget('one');
    await clock.advance(1_000);
    await idle();
    expect(writes).toEqual([]);
  });
});

it('what comes back to a draft stands behind what was typed since, with what was attached to it', () => {
  const image = { kind: 'image' as const, label: 'a.png', blob: 'a'.repeat(64), mime: 'image/png' };
  const kept = { ...typed('new'), attachments: [image], unsent: { call: { feedback: 'no' } } };
  const brought = { text: 'queued', mentions: [{ kind: 'file' as const, label: 'a.ts', path: 'a.ts' }] };
  expect(withBrought(kept, brought)).toEqual({
    ...kept,
    text: 'new\nqueued',
    attachments: [image, ...brought.mentions],
  });
  expect(withBrought(typed(' '), { text: 'queued', mentions: [] })).toEqual(typed('queued'));
});
