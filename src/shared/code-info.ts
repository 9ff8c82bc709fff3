/** What the words behind the opening fence of a code block say: its language and, where a model names one, its file. */

export interface CodeInfo {
  language: string;
  /** Relative, with forward slashes; never one that leads upwards or is absolute. */
  path?: string;
}

const named = /\b(?:path|file|filename|title)\s*=\s*(?:"([^"]+)"|'([^']+)'|(\S+))/i;

/** "ts", "ts src/a.ts", "ts:src/a.ts", "ts title="src/a.ts"", "src/a.ts" and "src/a.ts:12" are all met. */
export function readCodeInfo(info: string): CodeInfo {
  const text = info.trim();
  const [first = '', ...others] = text.split(/\s+/);
  const [, quoted, single, bare] = named.exec(text) ?? [];
  const [language = '', behindColon = ''] = /^([\w+#-]+):(.+)$/.exec(first)?.slice(1) ?? [first];
  const path = [quoted, single, bare, behindColon, first, ...others].flatMap(pathIn)[0];
  if (path === undefined) return { language: language.toLowerCase() };
  const isNamedAlone = pathIn(first)[0] === path && behindColon === '';
  return { language: isNamedAlone ? '' : language.toLowerCase(), path };
}

/** Something that reads as a file: a folder or an ending in it, and no way out of the workspace. */
function pathIn(word: string | undefined): string[] {
  const path =
    word
      ?.replaceAll('\\', '/')
      .replace(/^\.\//, '')
      .replace(/:\d+(?:[:-]\d+)?$/, '') ?? '';
  if (!/^[^\s:*?"<>|{}=]+$/.test(path) || !/\/[^/]|[^/.]\.\w+$/.test(path)) return [];
  return path.startsWith('/') || path.split('/').includes('..') ? [] : [path];
}
