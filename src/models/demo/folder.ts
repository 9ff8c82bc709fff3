/** Reads what the tools `list` and `read` answered: the demo says nothing about a folder that does not stand there. */
import type { Done } from './talk.js';

export interface Listing {
  folders: string[];
  files: string[];
}

/** Lines are `name/`, `name  size` or `name  (symbolic link)`; a line in brackets is a remark. */
export const readListing = (content: string): Listing => {
  const names = content
    .split('\n')
    .map((line) => line.split(/ {2,}|\t/, 1)[0]?.trim() ?? '')
    .filter((name) => name !== '' && !name.startsWith('[') && !/ is empty\.$/.test(name));
  return {
    folders: names.filter((name) => name.endsWith('/')),
    files: names.filter((name) => !name.endsWith('/')),
  };
};

export const pathOf = (done: Done | undefined): string | undefined => {
  const input = done?.input;
  return typeof input === 'object' && input !== null && 'path' in input && typeof input.path === 'string'
    ? input.path
    : undefined;
};

/** The text of a file without the remarks `read` puts behind it, and whether it is all of the file. */
export const readText = (content: string): { text: string; isWhole: boolean } => {
  const remarks = /(?:^|\n\n)((?:\[[^\n]*\](?:\n|$))+)$/.exec(content);
  const isRemark = /is empty\.|only white space|Lines? \d|unsaved changes|not valid UTF-8/.test(
    remarks?.[1] ?? '',
  );
  if (!remarks || !isRemark) return { text: content, isWhole: true };
  const isWhole = !/^\[Lines? \d/.test(remarks[1] ?? '');
  return { text: content.slice(0, remarks.index), isWhole };
};

const textFile =
  /\.(md|txt|rst|adoc|json|jsonc|ya?ml|toml|ini|[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs?|cpp|h|sh|css|html|svelte|vue|sql)$/i;
const wellKnown = [/^readme(\.\w+)?$/i, /^package\.json$/i, /^(pyproject|cargo)\.toml$/i, /^go\.mod$/i];

/** A file the prompt names, else the one that tells most about a folder. */
export const tellingFile = (files: readonly string[], prompt: string): string | undefined => {
  const asked = prompt.toLowerCase();
  const named = files.filter((name) => asked.includes(name.toLowerCase()));
  const longest = named.sort((a, b) => b.length - a.length)[0];
  if (longest !== undefined) return longest;
  for (const shape of wellKnown) {
    const found = files.find((name) => shape.test(name));
    if (found !== undefined) return found;
  }
  return files.find((name) => textFile.test(name) && !/lock/i.test(name));
};

const many = (names: readonly string[], most: number): string => {
  const shown = names.slice(0, most).map((name) => `\`${name}\``);
  const left = names.length - shown.length;
  return shown.join(', ') + (left > 0 ? ` and ${left} more` : '');
};

export const tellListing = ({ folders, files }: Listing, where: string): string => {
  const total = folders.length + files.length;
  if (total === 0) return `${where} is empty.`;
  const lines = [`${where} has ${total} ${total === 1 ? 'entry' : 'entries'}:`, ''];
  if (folders.length > 0)
    lines.push(`- ${folders.length === 1 ? 'folder' : 'folders'}: ${many(folders, 30)}`);
  if (files.length > 0) lines.push(`- ${files.length === 1 ? 'file' : 'files'}: ${many(files, 50)}`);
  return lines.join('\n');
};
