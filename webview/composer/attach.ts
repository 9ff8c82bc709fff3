/** What is pasted or dropped, sorted: images, texts, files of the workspace, and what can be none of these. */

/** A longer text is not read into a message; it can be named instead. */
export const LONGEST_FILE = 10 * 1024 * 1024;

export interface Brought {
  images: File[];
  others: File[];
  /** Files of the editor's own explorer. */
  uris: string[];
}

export function broughtBy(data: DataTransfer): Brought {
  const files = [...data.files];
  const listed = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return {
    images: files.filter(({ type }) => isImage(type)),
    others: files.filter(({ type }) => !isImage(type)),
    uris: files.length > 0 ? [] : listed.split(/\r?\n/).filter((line) => /^[\w+.-]+:\/\/?/.test(line)),
  };
}

/** A drawing in XML is a text. */
const isImage = (type: string): boolean => type.startsWith('image/') && type !== 'image/svg+xml';

/** Undefined for what is no text. */
export async function textIn(file: Blob): Promise<string | undefined> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
