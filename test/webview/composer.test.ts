import { describe, expect, it } from 'vitest';
import { Draft } from '../../webview/composer/draft.svelte.js';
import { Menu, type MenuItem } from '../../webview/composer/menu.svelte.js';
import { composerAction, isComposition } from '../../webview/composer/keys.js';
import { calledBy, mentionAt, triggerAt, type Trigger } from '../../webview/composer/mention.js';
import { isCut, sizeWords } from '../../webview/composer/sizes.js';
import { Slash } from '../../webview/composer/slash.js';
import type { SlashOffer } from '../../src/shared/protocol.js';

const key = (name: string, more: Partial<KeyboardEvent> = {}) => ({
  key: name,
  keyCode: name === 'Enter' ? 13 : 0,
  isComposing: false,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});
const enter = { sendOn: 'enter', isEmpty: false } as const;
const modEnter = { sendOn: 'modEnter', isEmpty: false } as const;

describe('keys of the composer', () => {
  it('sends and breaks lines as the setting says', () => {
    expect(composerAction(key('Enter'), enter)).toBe('send');
    expect(composerAction(key('Enter', { shiftKey: true }), enter)).toBeNull();
    expect(composerAction(key('Enter', { ctrlKey: true }), enter)).toBe('steer');
    expect(composerAction(key('Enter', { metaKey: true }), enter)).toBe('steer');
    expect(composerAction(key('Enter'), modEnter)).toBeNull();
    expect(composerAction(key('Enter', { ctrlKey: true }), modEnter)).toBe('send');
  });

  it('edits the last prompt by ↑ only in an empty field', () => {
    expect(composerAction(key('ArrowUp'), { ...enter, isEmpty: true })).toBe('edit-last');
    expect(composerAction(key('ArrowUp'), enter)).toBeNull();
    expect(composerAction(key('ArrowUp', { shiftKey: true }), { ...enter, isEmpty: true })).toBeNull();
    expect(composerAction(key('Escape'), enter)).toBe('cancel');
    expect(composerAction(key('a'), enter)).toBeNull();
  });

  it('G10: an Enter that belongs to an input method is no command, however the browser tells it', () => {
    expect(composerAction(key('Enter', { isComposing: true }), enter)).toBeNull();
    expect(composerAction(key('Enter', { keyCode: 229 }), enter)).toBeNull();
    expect(composerAction(key('Escape', { isComposing: true }), enter)).toBeNull();
    expect(isComposition(key('Enter'))).toBe(false);
  });
});

describe('draft', () => {
  it('keeps what was made of a message while another is edited, and when its edit is begun again', () => {
    const draft = new Draft();
    draft.text = 'Draft';
    draft.startEdit('one', { text: 'One', mentions: [] });
    draft.text = 'One, changed';
    draft.attachText('pasted');
    draft.startEdit('one', { text: 'One', mentions: [] });
    expect([draft.text, draft.chips.length]).toEqual(['One, changed', 1]);
    draft.startEdit('two', { text: 'Two', mentions: [] });
    expect([draft.text, draft.chips.length]).toEqual(['Two', 0]);
    draft.startEdit('one', { text: 'One', mentions: [] });
    expect([draft.text, draft.chips.length]).toEqual(['One, changed', 1]);
    draft.endEdit();
    expect(draft.text).toBe('Draft');
    draft.startEdit('one', { text: 'One', mentions: [] });
    expect([draft.text, draft.chips.length]).toEqual(['One', 0]);
  });

  it('H1: an edit puts the earlier draft aside and brings it back', () => {
    const draft = new Draft();
    draft.text = 'half a thought';
    draft.attachText('x');
    draft.startEdit('entry-1', { text: 'Old prompt', mentions: [] });
    expect(draft).toMatchObject({ text: 'Old prompt', editing: 'entry-1', chips: [] });
    draft.startEdit('entry-2', { text: 'Older prompt', mentions: [] });
    draft.endEdit();
    expect(draft).toMatchObject({ text: 'half a thought', editing: null, chips: [{ label: 'Pasted text' }] });
  });

  it('G11: gives back all that stands in it, and what an edit put aside, to be loaded again', () => {
    const draft = new Draft();
    draft.text = 'half a thought on @a.ts';
    draft.mentionFile('a.ts');
    draft.attachText('x');
    draft.startEdit('entry-1', { text: 'Old prompt', mentions: [] });
    draft.attachText('y');
    const again = new Draft();
    again.load(draft.contents);
    expect(again.contents).toEqual(draft.contents);
    expect(again).toMatchObject({ text: 'Old prompt', editing: 'entry-1', chips: [{ text: 'y' }] });
    expect(again.rest).toEqual({
      text: 'half a thought on @a.ts',
      editing: null,
      attachments: [
        { kind: 'file', label: 'a.ts', path: 'a.ts' },
        { kind: 'file', label: 'Pasted text', text: 'x' },
      ],
    });
    again.endEdit();
    expect(again).toMatchObject({ text: 'half a thought on @a.ts', chips: [{ text: 'x' }] });
    expect(again.mentions()).toHaveLength(2);
    again.load({ text: '', editing: null });
    expect(again.contents).toEqual({ text: '', editing: null });
  });

  it('takes out what was sent and keeps what was typed meanwhile', () => {
    const draft = new Draft();
    draft.text = 'first';
    draft.beginSending();
    draft.changeFrom(5);
    draft.text = 'first and second';
    draft.sent();
    expect(draft.text).toBe('and second');
  });

  it('keeps the whole of what replaced the text that is being sent, even when it begins alike', () => {
    const draft = new Draft();
    draft.text = 'Hello';
    draft.beginSending();
    draft.changeFrom(0);
    draft.text = 'Hello again';
    draft.sent();
    expect(draft.text).toBe('Hello again');
  });

  it('keeps everything when it was not sent', () => {
    const draft = new Draft();
    draft.text = 'Hello';
    draft.attachText('a log');
    draft.beginSending();
    draft.notSent();
    draft.sent();
    expect(draft).toMatchObject({ text: 'Hello', chips: [{ text: 'a log' }] });
  });

  it('after an edit was sent the earlier draft is there again, with what was typed meanwhile behind it', () => {
    const draft = new Draft();
    draft.text = 'waiting';
    draft.startEdit('entry-1', { text: 'Old', mentions: [] });
    draft.beginSending();
    draft.changeFrom(3);
    draft.text = 'Old and new';
    draft.sent();
    expect(draft).toMatchObject({ text: 'waiting\nand new', editing: null });
  });

  it('H5: what was attached to a message comes back with it: texts as attachments, files it names as mentions', () => {
    const draft = new Draft();
    draft.startEdit('entry-1', {
      text: 'Why? See @src/a.ts',
      mentions: [
        { kind: 'file', label: 'src/a.ts' },
        { kind: 'file', label: 'Pasted text', text: 'a log' },
        { kind: 'folder', label: 'src' },
      ],
    });
    expect(draft.chips.map(({ label }) => label)).toEqual(['Pasted text', 'src']);
    expect(draft.mentions()).toEqual([
      { kind: 'file', label: 'src/a.ts', path: 'src/a.ts' },
      { kind: 'file', label: 'Pasted text', text: 'a log' },
      { kind: 'folder', label: 'src' },
    ]);
  });

  it('sends the files that are still named, and pasted texts under names of their own', () => {
    const draft = new Draft();
    draft.text = 'Look at @src/a.ts';
    draft.mentionFile('src/a.ts');
    draft.mentionFile('src/gone.ts');
    draft.attachText('one');
    draft.attachText('two');
    expect(draft.mentions()).toEqual([
      { kind: 'file', label: 'src/a.ts', path: 'src/a.ts' },
      { kind: 'file', label: 'Pasted text', text: 'one' },
      { kind: 'file', label: 'Pasted text 2', text: 'two' },
    ]);
    const [first] = draft.chips;
    if (first !== undefined) draft.remove(first);
    draft.attachText('three');
    expect(draft.chips.map(({ label }) => label)).toEqual(['Pasted text 2', 'Pasted text']);
  });
});

const item = (label: string, pick: MenuItem['pick']): MenuItem => ({ key: label, icon: 'file', label, pick });

describe('file mentions', () => {
  it.each([
    ['@', 1, { start: 0, query: '' }],
    ['see @src/a', 10, { start: 4, query: 'src/a' }],
    ['see (@b', 7, { start: 5, query: 'b' }],
    ['mail@host', 9, null],
    ['@src done', 9, null],
    ['no', 2, null],
  ] as const)('in %j at %i', (text, caret, found) => {
    expect(mentionAt(text, caret)).toEqual(found);
  });

  it('knows a slash at the beginning only, and what is called by it', () => {
    expect(triggerAt('/com', 4)).toEqual({ kind: 'slash', start: 0, query: 'com' });
    expect(triggerAt('/', 1)).toEqual({ kind: 'slash', start: 0, query: '' });
    expect(triggerAt('/compact now', 12)).toBeNull();
    expect(triggerAt('/usr/bin', 8)).toBeNull();
    expect(triggerAt('see /com', 8)).toBeNull();
    expect(triggerAt('see @a', 6)).toEqual({ kind: 'mention', start: 4, query: 'a' });
    expect(calledBy(' /pdf make\none ')).toEqual({ name: 'pdf', rest: 'make\none' });
    expect(calledBy('/usr/bin is full')).toBeNull();
  });

  it('moves through what was found, takes one, and ignores answers that come late', async () => {
    const picked: [string, Trigger][] = [];
    const answers = new Map<string, (names: string[]) => void>();
    const menu = new Menu(
      ({ query }, show) =>
        new Promise((resolve) =>
          answers.set(query, (names) => {
            show(names.map((name) => item(name, (trigger) => picked.push([name, trigger]))));
            resolve();
          }),
        ),
    );
    const first = menu.look('@a', 2);
    const second = menu.look('@ab', 3);
    answers.get('ab')?.(['ab.ts', 'abc.ts']);
    await second;
    answers.get('a')?.(['a.ts']);
    await first;
    expect(menu.items.map(({ label }) => label)).toEqual(['ab.ts', 'abc.ts']);
    expect(menu.takeKey(key('ArrowDown'))).toBe(true);
    expect(menu.takeKey(key('x'))).toBe(false);
    expect(menu.takeKey(key('Enter'))).toBe(true);
    expect(picked).toEqual([['abc.ts', { kind: 'mention', start: 0, query: 'ab' }]]);
    expect(menu.takeKey(key('Enter'))).toBe(false);
  });

  it('closes on Escape and when the mention is over', async () => {
    const menu = new Menu((_trigger, show) => {
      show([item('a.ts', () => undefined)]);
      return Promise.resolve();
    });
    await menu.look('@a', 2);
    expect(menu.takeKey(key('Escape'))).toBe(true);
    expect(menu.items).toEqual([]);
    await menu.look('@a', 2);
    await menu.look('@a b', 4);
    expect(menu.items).toEqual([]);
  });
});

describe('what a slash calls', () => {
  function slashOf(offers: SlashOffer[], texts: Record<string, string | undefined> = {}, starts = true) {
    const draft = new Draft();
    const done: unknown[] = [];
    const at = { session: 'one' };
    const slash = new Slash({
      draft,
      offers: () => Promise.resolve(offers),
      expand: (name) => Promise.resolve(texts[name]),
      act: (intent) => Promise.resolve(done.push(intent) > 0),
      command: (command) => Promise.resolve(void done.push(command)),
      say: ({ message }) => done.push(message),
      shown: () => at.session,
      keepElsewhere: (session, text) => done.push({ session, text }),
      startGoal: (objective) => Promise.resolve(done.push({ goal: objective }) > 0 && starts),
    });
    return { draft, slash, done, at };
  }
  const prompt: SlashOffer = { kind: 'prompt', name: 'review', description: 'Look it over' };
  const skill: SlashOffer = { kind: 'skill', name: 'pdf', description: 'Forms' };

  it('does what is built in, with what stands behind it', async () => {
    const { draft, slash, done } = slashOf([]);
    draft.text = '/compact the plums';
    expect(await slash.takeTyped()).toBe(false);
    expect(draft.text).toBe('');
    draft.text = '/new';
    await slash.takeTyped();
    draft.text = '/session';
    await slash.takeTyped();
    const went = [{ type: 'new_session' }, { type: 'switch_session' }];
    expect(done).toEqual([{ type: 'compact', focus: 'the plums' }, ...went]);
    expect(draft.text).toBe('');
  });

  it.each(['new', 'session', 'clear'])('keeps the words behind /%s, which takes none', async (name) => {
    const { draft, slash, done } = slashOf([]);
    draft.text = `/${name} and the pears`;
    expect(await slash.takeTyped()).toBe(false);
    expect(draft.text).toBe('and the pears');
    expect(done).toHaveLength(1);
  });

  it.each([
    ['goal', 10_000, '10,001', '10,000'],
    ['compact', 2_000, '2,001', '2,000'],
  ])(
    'cuts nothing behind /%s: what is too long stays, and how long it may be is said',
    async (name, most, has, may) => {
      const { draft, slash, done } = slashOf([]);
      const typed = `/${name} ${'x'.repeat(most + 1)}`;
      draft.text = typed;
      expect(await slash.takeTyped()).toBe(false);
      expect(draft.text).toBe(typed);
      expect(done).toEqual([expect.stringMatching(`${has} characters; it may have ${may}`)]);
      draft.text = typed.slice(0, -1);
      await slash.takeTyped();
      expect(draft.text).toBe('');
      expect(done).toHaveLength(2);
    },
  );

  it('starts a goal with what follows, and gives the words back when none was started', async () => {
    const first = slashOf([]);
    first.draft.text = '/goal all tests pass';
    expect(await first.slash.takeTyped()).toBe(false);
    expect(first.done).toEqual([{ goal: 'all tests pass' }]);
    expect(first.draft.text).toBe('');
    const second = slashOf([], {}, false);
    second.draft.text = '/goal all tests pass';
    await second.slash.takeTyped();
    await expect.poll(() => second.draft.text).toBe('/goal all tests pass');
    const third = slashOf([], {}, false);
    third.draft.text = '/goal all tests pass';
    const taken = third.slash.takeTyped();
    third.at.session = 'two';
    await taken;
    await expect
      .poll(() => third.done)
      .toEqual([{ goal: 'all tests pass' }, { session: 'one', text: '/goal all tests pass' }]);
    expect(third.draft.text).toBe('');
  });

  it('puts a prompt file in place of its name, and sends a skill along', async () => {
    const { draft, slash } = slashOf([prompt, skill], { review: 'Look at everything.' });
    draft.text = '/review the tests too';
    expect(await slash.takeTyped()).toBe(true);
    expect(draft.text).toBe('Look at everything.\n\nthe tests too');
    draft.text = '/pdf make one';
    expect(await slash.takeTyped()).toBe(true);
    expect(draft.text).toBe('make one');
    expect(draft.mentions()).toEqual([{ kind: 'skill', label: 'pdf' }]);
  });

  it('leaves the text where nothing is called, the person did not go on, or a message is edited', async () => {
    const { draft, slash } = slashOf([prompt]);
    for (const text of ['/demo edit', 'what is /review?', '/usr/bin/env']) {
      draft.text = text;
      expect(await slash.takeTyped()).toBe(true);
      expect(draft.text).toBe(text);
    }
    draft.text = '/review';
    expect(await slash.takeTyped()).toBe(false);
    expect(draft.text).toBe('/review');
    draft.startEdit('m1', { text: '/review', mentions: [] });
    expect(await slash.takeTyped()).toBe(true);
    expect(draft.text).toBe('/review');
  });

  it('says how much is sent, and that a part was left out', () => {
    expect(sizeWords('abcd')).toBe('about 1 token');
    expect(sizeWords('x'.repeat(6_200))).toMatch(/^about 1.6k tokens$/);
    expect(isCut('a\n[… 6 of 10 characters are left out here …]')).toBe(true);
    expect(isCut('all of it')).toBe(false);
  });
});
