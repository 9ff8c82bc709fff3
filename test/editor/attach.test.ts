// An image from the clipboard and a file that is dropped: kept beside the log, sent to the model, there after a reload.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { reloaded, type Person } from './person.js';
import { withScriptedModel } from './scripted.js';

/** As a browser tells of it, with an image of this size. */
async function bring(person: Person, how: 'paste' | 'drop', name: string, width: number): Promise<void> {
  await person.composer.evaluate(
    async (field, { how, name, width }) => {
      const canvas = new OffscreenCanvas(width, 40);
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('no canvas');
      context.fillStyle = 'teal';
      context.fillRect(0, 0, width / 2, 40);
      const data = new DataTransfer();
      data.items.add(new File([await canvas.convertToBlob()], name, { type: 'image/png' }));
      const init = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        how === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data }),
      );
    },
    { how, name, width },
  );
}

const chips = (person: Person) => person.at('draft-chip').allInnerTexts();

test('C16 H5: images are attached, kept over a reload, sent, and travel with an edited message', () =>
  withScriptedModel({}, async ({ editor, server, person: first }) => {
    let person = first;
    await bring(person, 'paste', 'wide.png', 4000);
    await eventually(async () => (await chips(person)).join() === 'wide.png', { what: 'the chip' });
    await bring(person, 'drop', 'dropped.png', 30);
    await eventually(async () => (await chips(person)).length === 2, { what: 'both chips' });
    await person.composer.fill('What are these?');
    await person.composer.press('Tab');

    person = await reloaded(editor);
    await eventually(async () => (await chips(person)).join() === 'wide.png,dropped.png', {
      what: 'both chips after a reload',
    });
    server.enqueue(reply.text('A teal wall.'), reply.text('A small one.'));
    await person.at('send').click();
    await person.says('A teal wall.');
    await person.run('idle');
    const log = () => onlyLog(editor.storage());
    const [prompt] = ofType(log(), 'message');
    const images = prompt?.parts?.filter(({ type }) => type === 'image') ?? [];
    expect(images).toMatchObject([{ name: 'wide.png', mime: 'image/png' }, { name: 'dropped.png' }]);
    // By reference: the bytes lie beside the log, once.
    const blob = String((images[0] as { blob?: string }).blob);
    const bytes = readFileSync(path.join(log().file.replace(/\.jsonl$/, ''), blob));
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1568, 16]);
    expect(log().bytes.includes(bytes.subarray(0, 60).toString('base64'))).toBe(false);
    expect(JSON.stringify(server.requests[0]?.body)).toContain(bytes.toString('base64'));

    // Edited: one is taken away by key, the other travels along.
    await person.message('user').first().hover();
    await person.at('edit-message').first().click();
    await eventually(async () => (await chips(person)).length === 2, { what: 'its images' });
    await person.at('draft-chip').first().getByRole('button').press('Delete');
    await person.composer.fill('Only the small one');
    await person.at('send').click();
    await person.says('A small one.');
    await person.run('idle');
    const edited = ofType(log(), 'message').find(({ parts }) => parts?.[0]?.text === 'Only the small one');
    expect(edited?.parts?.filter(({ type }) => type === 'image')).toMatchObject([{ name: 'dropped.png' }]);
    await person.message('user').getByText('dropped.png').waitFor();
    expect(existsSync(path.join(log().file.replace(/\.jsonl$/, ''), blob))).toBe(true);
    expect(editor.policyViolations()).toEqual([]);
    await editor.screenshot('edited');
  }));
