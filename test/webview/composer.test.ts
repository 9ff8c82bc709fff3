import { describe, expect, it } from 'vitest';
import { Draft } from '../../webview/composer/draft.svelte.js';
import { FileSuggestions } from '../../webview/composer/file-suggestions.svelte.js';
import { composerAction, isComposition } from '../../webview/composer/keys.js';
import { mentionAt } from '../../webview/composer/mention.js';

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

  it('moves through what was found, takes one, and ignores answers that come late', async () => {
    const picked: [string, number][] = [];
    const answers = new Map<string, (paths: string[]) => void>();
    const suggestions = new FileSuggestions({
      find: (query) => new Promise((resolve) => answers.set(query, resolve)),
      onPick: (path, start) => picked.push([path, start]),
    });
    const first = suggestions.look('@a', 2);
    const second = suggestions.look('@ab', 3);
    answers.get('ab')?.(['ab.ts', 'abc.ts']);
    await second;
    answers.get('a')?.(['a.ts']);
    await first;
    expect(suggestions.paths).toEqual(['ab.ts', 'abc.ts']);
    expect(suggestions.takeKey(key('ArrowDown'))).toBe(true);
    expect(suggestions.takeKey(key('x'))).toBe(false);
    expect(suggestions.takeKey(key('Enter'))).toBe(true);
    expect(picked).toEqual([['abc.ts', 0]]);
    expect(suggestions.takeKey(key('Enter'))).toBe(false);
  });

  it('closes on Escape and when the mention is over', async () => {
    const suggestions = new FileSuggestions({
      find: () => Promise.resolve(['a.ts']),
      onPick: () => undefined,
    });
    await suggestions.look('@a', 2);
    expect(suggestions.takeKey(key('Escape'))).toBe(true);
    expect(suggestions.paths).toEqual([]);
    await suggestions.look('@a', 2);
    await suggestions.look('@a b', 4);
    expect(suggestions.paths).toEqual([]);
  });
});
