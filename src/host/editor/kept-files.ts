/**
 * Files as a line of a conversation has them, shown in VS Code's own diffs. Each side is a read-only document that names
 * the bytes it shows, so a tab that survives a reload shows the same, or says that they are gone.
 */
import * as vscode from 'vscode';
import type { Disposable } from '../../ports.js';
import { decodeText } from './decode.js';

/** The bytes that a session kept under this hash. */
export type ReadKept = (session: string, hash: string) => Promise<Uint8Array>;

/** Undefined where there is no file. */
export interface FilePair {
  /** As it is named to people. */
  path: string;
  left: vscode.Uri | undefined;
  right: vscode.Uri | undefined;
}

export interface KeptFiles extends Disposable {
  /** Undefined for a hash of null: no file. */
  uri(session: string, path: string, hash: string | null): vscode.Uri | undefined;
  /** All of them in one editor. */
  showAll(title: string, pairs: readonly FilePair[]): Promise<void>;
  showOne(title: string, pair: FilePair): Promise<void>;
}

const SCHEME = 'bough-kept';

export function createKeptFiles(read: ReadKept): KeptFiles {
  const registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async (uri) => {
      const { session, hash } = JSON.parse(uri.query) as { session: string; hash: string | null };
      return hash === null ? '' : wordsOf(await read(session, hash));
    },
  });
  const uriOf = (session: string, path: string, hash: string | null): vscode.Uri =>
    vscode.Uri.from({
      scheme: SCHEME,
      // It ends like the file's, so that the editor knows its language.
      path: `/${path.replace(/^\/+/, '')}`,
      query: JSON.stringify({ session, hash }),
    });
  return {
    uri: (session, path, hash) => (hash === null ? undefined : uriOf(session, path, hash)),
    async showAll(title, pairs) {
      const resources = pairs.map(atOnePath).flatMap(({ left, right }) => {
        const label = right ?? left;
        return label === undefined ? [] : [[label, left, right]];
      });
      await vscode.commands.executeCommand('vscode.changes', title, resources);
    },
    async showOne(title, { path, left, right }) {
      const nothing = uriOf('', path, null);
      await vscode.commands.executeCommand('vscode.diff', left ?? nothing, right ?? nothing, title, {
        preview: true,
      });
    },
    dispose: () => void registration.dispose(),
  };
}

/** Sides of other paths would be shown as a file that was renamed: what was kept is named as the file itself is. */
function atOnePath({ path, left, right }: FilePair): FilePair {
  if (left === undefined || right === undefined) return { path, left, right };
  return left.scheme === SCHEME
    ? { path, left: left.with({ path: right.path }), right }
    : { path, left, right: right.with({ path: left.path }) };
}

function wordsOf(bytes: Uint8Array): string {
  const decoded = decodeText(bytes);
  return typeof decoded === 'string' ? `(${decoded}, ${bytes.length} bytes)\n` : decoded.text;
}
