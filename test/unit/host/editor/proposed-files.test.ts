/** What is typed into a proposal is kept, whatever becomes of its document; what is made of it elsewhere is shown. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import { ProposedFiles } from '../../../../src/host/editor/proposed-files.js';

interface Doc {
  uri: vscode.Uri;
  text: string;
  isDirty: boolean;
  lineCount: number;
  getText(): string;
  save(): Promise<boolean>;
}
type Listener = (event: unknown) => void;
const editor = vi.hoisted(() => ({
  docs: [] as Doc[],
  changed: [] as Listener[],
  closed: [] as Listener[],
}));

vi.mock('vscode', () => {
  const listen = (to: Listener[]) => (listener: Listener) => {
    to.push(listener);
    return { dispose: () => to.splice(to.indexOf(listener), 1) };
  };
  class EventEmitter {
    event = () => ({ dispose: () => undefined });
    fire = () => undefined;
    dispose = () => undefined;
  }
  class WorkspaceEdit {
    replaced: [vscode.Uri, string][] = [];
    replace(uri: vscode.Uri, _range: unknown, text: string) {
      this.replaced.push([uri, text]);
    }
  }
  return {
    EventEmitter,
    WorkspaceEdit,
    Range: class {},
    Disposable: class {},
    FileType: { File: 1 },
    FilePermission: { Readonly: 1 },
    FileChangeType: { Changed: 1 },
    workspace: {
      get textDocuments() {
        return editor.docs;
      },
      onDidChangeTextDocument: listen(editor.changed),
      onDidCloseTextDocument: listen(editor.closed),
      applyEdit: (edit: WorkspaceEdit) => {
        for (const [uri, text] of edit.replaced) type(uri, text);
        return Promise.resolve(true);
      },
    },
  };
});

const uri = {
  scheme: 'bough-proposed',
  query: JSON.stringify({ session: 's', call_id: 'c', index: 0, side: 'after' }),
  toString: () => 'bough-proposed:/a.ts',
} as vscode.Uri;

/** Somebody types, or an edit is applied. */
function type(at: vscode.Uri, text: string, isDirty = true): void {
  const doc = editor.docs.find((open) => open.uri === at);
  if (doc === undefined) throw new Error('it is not open');
  Object.assign(doc, { text, isDirty });
  for (const listener of editor.changed) listener({ document: doc, contentChanges: [{}] });
}

async function begin(after: string) {
  let edited: string | undefined;
  let isDecided = false;
  const files = new ProposedFiles({
    find: () =>
      Promise.resolve(
        isDecided ? null : { files: [{ path: 'a.ts', before: '', after }], isEditable: true, edited },
      ),
    keep: (_session, _call, text) => {
      edited = text ?? undefined;
      return Promise.resolve();
    },
    onError: (error) => {
      throw error;
    },
  });
  const read = await files.readFile(uri);
  const open = (text: string): void => {
    const doc: Doc = {
      ...{ uri, text, isDirty: false, lineCount: 9 },
      getText: () => doc.text,
      save: async () => {
        await files.writeFile(uri, Buffer.from(doc.text));
        doc.isDirty = false;
        return true;
      },
    };
    editor.docs = [doc];
  };
  open(Buffer.from(read).toString());
  return {
    files,
    open,
    edited: () => edited,
    decide: () => (isDecided = true),
    save: (text: string) => files.writeFile(uri, Buffer.from(text)),
    inCard: (text: string | undefined) => {
      edited = text;
      return files.refresh('s');
    },
    close: async () => {
      const [doc] = editor.docs;
      editor.docs = [];
      for (const listener of editor.closed) listener(doc);
      await Promise.resolve();
    },
    kept: () => vi.advanceTimersByTimeAsync(1_000),
  };
}

describe('a proposal in the editor', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    Object.assign(editor, { docs: [] });
    editor.changed.length = editor.closed.length = 0;
    return () => vi.useRealTimers();
  });

  it('keeps what is typed unsaved; closed without saving, what was saved before counts', async () => {
    const { files, edited, close, kept } = await begin('proposed\n');
    type(uri, 'mine\n');
    await kept();
    expect(edited()).toBe('mine\n');
    await files.stat(uri);
    await close();
    await kept();
    expect(edited()).toBeUndefined();
  });

  it('what was saved stays when it is closed', async () => {
    const { edited, close, kept } = await begin('proposed\n');
    type(uri, 'mine\n');
    await editor.docs[0]?.save();
    await close();
    await kept();
    expect(edited()).toBe('mine\n');
  });

  it('another language for it, which closes and opens it, drops nothing', async () => {
    const { edited, open, kept } = await begin('proposed\n');
    type(uri, 'mine\n');
    await kept();
    const [doc] = editor.docs;
    editor.docs = [];
    for (const listener of editor.closed) listener(doc);
    open('mine\n');
    await kept();
    expect(edited()).toBe('mine\n');
  });

  it('lines of mixed ends are no change by themselves, and lose no change made in the card', async () => {
    const { edited, open, inCard, close, kept } = await begin('a\r\nb\n');
    open('a\r\nb\r\n');
    await inCard('a\r\nc\n');
    await close();
    await kept();
    expect(edited()).toBe('a\r\nc\n');
    await inCard(undefined);
    open('a\r\nb\r\n');
    type(uri, 'a\r\nb\r\n');
    await kept();
    expect(edited()).toBeUndefined();
  });

  it('is put back in an unsaved document too, when the card discards what was made of it', async () => {
    const { edited, inCard, kept } = await begin('proposed\n');
    type(uri, 'mine\n');
    await kept();
    await inCard(undefined);
    await kept();
    expect(editor.docs[0]).toMatchObject({ text: 'proposed\n', isDirty: false });
    expect(edited()).toBeUndefined();
  });

  it('what is being typed in this moment is newer than what the card made of it', async () => {
    const { edited, inCard, kept } = await begin('proposed\n');
    type(uri, 'mine');
    await inCard('of the card\n');
    expect(editor.docs[0]?.text).toBe('mine');
    await kept();
    expect(edited()).toBe('mine');
  });

  it('what is typed while it is saved is kept, and not put back to what was saved', async () => {
    const { files, edited, save, kept } = await begin('proposed\n');
    type(uri, 'mi');
    await kept();
    type(uri, 'min');
    const saving = save('mi');
    await files.refresh('s');
    await saving;
    await files.refresh('s');
    expect(editor.docs[0]?.text).toBe('min');
    await kept();
    expect(edited()).toBe('min');
    // Kept before what is older is saved.
    type(uri, 'mine');
    await kept();
    await save('min');
    await files.refresh('s');
    await kept();
    expect(editor.docs[0]?.text).toBe('mine');
    expect(edited()).toBe('mine');
  });

  it('is no newer file for the editor that saves it, unless it was changed elsewhere', async () => {
    const { files, save, inCard, kept } = await begin('proposed\n');
    const { mtime } = await files.stat(uri);
    type(uri, 'mine');
    await kept();
    expect((await files.stat(uri)).mtime).toBe(mtime);
    type(uri, 'mine and more');
    const [during] = await Promise.all([files.stat(uri), kept()]);
    expect(during.mtime).toBe(mtime);
    expect((await files.stat(uri)).mtime).toBe(mtime);
    await save('mine and more');
    const saved = await files.stat(uri);
    type(uri, 'mine and more of it');
    await kept();
    expect((await files.stat(uri)).mtime).toBe(saved.mtime);
    Object.assign(editor.docs[0] ?? {}, { isDirty: false });
    await inCard('of the card\n');
    expect((await files.stat(uri)).mtime).toBeGreaterThan(saved.mtime);
  });

  it('follows what is typed back to what was saved, though nothing is unsaved then', async () => {
    const { edited, kept } = await begin('proposed\n');
    type(uri, 'mine\n');
    await kept();
    type(uri, 'proposed\n', false);
    await kept();
    expect(edited()).toBeUndefined();
  });

  it('decided while something is unsaved, it can be saved and so closed without a question', async () => {
    const { files, edited, decide, kept } = await begin('proposed\n');
    type(uri, 'mine\n');
    await kept();
    decide();
    expect(await files.stat(uri)).not.toHaveProperty('permissions');
    expect(await editor.docs[0]?.save()).toBe(true);
    expect(edited()).toBe('mine\n');
    expect(await files.stat(uri)).toHaveProperty('permissions');
  });
});
