/** What the person attached to a prompt of VS Code's Chat view, as the composer would have it; what cannot go along is named. */
import * as vscode from 'vscode';
import { MAX_IMAGE_BYTES } from '../../agent/context/attachments.js';
import type { SessionLog } from '../../log/store.js';
import type { Mention } from '../../shared/protocol.js';
import { shownPath } from '../context/shown-path.js';

export interface Referenced {
  mentions: Mention[];
  /** What was attached and does not go along, with why, for people. */
  left: string[];
}

/** VS Code's own class for these is not among those that every extension may name. */
interface Bytes {
  mimeType: string;
  data: () => Thenable<Uint8Array>;
}

const TAKEN = /^image\/(png|jpeg|gif|webp)$/;

/** @throws BoughError when an image cannot be written beside the log */
export async function readReferences(
  references: readonly vscode.ChatPromptReference[],
  { access, blobs }: Pick<SessionLog, 'access' | 'blobs'>,
): Promise<Referenced> {
  const found: Referenced = { mentions: [], left: [] };
  let bytesLeft = MAX_IMAGE_BYTES;
  for (const reference of references) {
    const { value } = reference;
    const mention = mentionOf(reference);
    const name = nameOf(reference);
    if (mention !== undefined) found.mentions.push(mention);
    else if (!isBytes(value)) found.left.push(name);
    else if (!TAKEN.test(value.mimeType))
      found.left.push(vscode.l10n.t('{0} (models take PNG, JPEG, GIF and WebP)', name));
    // What nothing can be written to refuses the prompt itself, and says why.
    else if (access.mode === 'write') {
      const data = await value.data();
      if (data.length > bytesLeft) found.left.push(vscode.l10n.t('{0} (too large)', name));
      else {
        bytesLeft -= data.length;
        const blob = await blobs.put(data);
        found.mentions.push({
          kind: 'image',
          label: freeLabel(name, found.mentions),
          blob,
          mime: value.mimeType,
        });
      }
    }
  }
  return found;
}

/** Files by their paths, with the lines that are meant. */
function mentionOf({ value, modelDescription }: vscode.ChatPromptReference): Mention | undefined {
  if (value instanceof vscode.Uri) return fileMention(value);
  if (value instanceof vscode.Location) {
    const { start, end } = value.range;
    const mention = fileMention(value.uri);
    return { ...mention, label: `${mention.label}:${String(start.line + 1)}-${String(end.line + 1)}` };
  }
  if (typeof value !== 'string') return undefined;
  return { kind: 'selection', label: modelDescription ?? vscode.l10n.t('Attached text'), text: value };
}

function fileMention(uri: vscode.Uri): Mention {
  const path = shownPath(uri);
  return { kind: 'file', label: path, path };
}

const isBytes = (value: unknown): value is Bytes =>
  typeof value === 'object' &&
  value !== null &&
  'mimeType' in value &&
  typeof value.mimeType === 'string' &&
  'data' in value &&
  typeof value.data === 'function';

/** As VS Code shows it, where it tells. */
function nameOf(reference: vscode.ChatPromptReference): string {
  const { name } = reference as { name?: unknown };
  const told = typeof name === 'string' ? name : (reference.modelDescription ?? '');
  return told.trim() === ''
    ? isBytes(reference.value)
      ? vscode.l10n.t('Image')
      : reference.id
    : told.trim();
}

function freeLabel(name: string, mentions: readonly Mention[]): string {
  const labels = new Set(mentions.map(({ label }) => label));
  let label = name;
  for (let number = 2; labels.has(label); number += 1) label = `${name} ${String(number)}`;
  return label;
}
