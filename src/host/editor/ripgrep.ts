/** Searches with the ripgrep that VS Code ships. Nothing is written and nothing of the person's own configuration is read. */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { runRipgrep } from './ripgrep-run.js';

export interface TextSearch {
  pattern: string;
  regex: boolean;
  /** File or folder below the searched folder, with `/`; empty for all of it. */
  target: string;
  maxResults: number;
}

export interface FoundLine {
  /** Below the searched folder, with `/`. */
  relative: string;
  line: number;
  text: string;
}

export interface FoundLines {
  hits: FoundLine[];
  more: boolean;
  note?: string;
}

/** VS Code keeps it in one of several places, unpacked beside its archive or not. */
export function ripgrepPlaces(appRoot: string, platform: NodeJS.Platform, arch: string): string[] {
  const file = platform === 'win32' ? 'rg.exe' : 'rg';
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    path.join(appRoot, modules, '@vscode', 'ripgrep-universal', 'bin', `${platform}-${arch}`, file),
    path.join(appRoot, modules, '@vscode', 'ripgrep', 'bin', file),
  ]);
}

export async function findRipgrep(appRoot: string): Promise<string | undefined> {
  for (const place of ripgrepPlaces(appRoot, process.platform, process.arch)) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** Hidden files are searched, what ignore files name is not; the order is that of paths, the same every time. */
export function ripgrepArguments({ pattern, regex, target }: TextSearch): string[] {
  const wantsModules = target.split('/').includes('node_modules');
  return [
    ...['--no-config', '--json', '--hidden', '--no-require-git', '--sort', 'path', '--glob', '!**/.git/**'],
    ...(wantsModules ? [] : ['--glob', '!**/node_modules/**']),
    ...(regex ? [] : ['--fixed-strings']),
    ...['--regexp', pattern, '--', target === '' ? '.' : `./${target}`],
  ];
}

/** A hit of ripgrep's JSON lines; null for its other messages. */
export function parseHit(line: string): FoundLine | null {
  const message = JSON.parse(line) as RipgrepMessage;
  if (message.type !== 'match') return null;
  const { path: file, lines, line_number } = message.data;
  const relative = textOf(file).split('\\').join('/').replace(/^\.\//, '');
  return { relative, line: line_number, text: textOf(lines).replace(/\r?\n$/, '') };
}

/** Text that is not UTF-8 comes as base64. */
type Encoded = { text: string } | { bytes: string };
type RipgrepMessage =
  | { type: 'match'; data: { path: Encoded; lines: Encoded; line_number: number } }
  | { type: 'begin' | 'end' | 'context' | 'summary' };

const textOf = (value: Encoded): string =>
  'text' in value ? value.text : Buffer.from(value.bytes, 'base64').toString('utf8');

export async function searchWithRipgrep(
  ripgrep: string,
  folder: string,
  search: TextSearch,
  signal: AbortSignal,
): Promise<FoundLines | Failure> {
  const hits: FoundLine[] = [];
  let more = false;
  const take = (line: string): boolean => {
    const hit = parseHit(line);
    if (hit === null) return true;
    more = hits.length === search.maxResults;
    if (!more) hits.push(hit);
    return !more;
  };
  const end = await runRipgrep({ ripgrep, folder, args: ripgrepArguments(search), take }, signal);
  return isFailure(end) ? end : answer({ hits, more }, end.code, end.trouble);
}

/** Code 2 means trouble; with messages about single files the rest was searched all the same. */
function answer(found: FoundLines, code: number | null, trouble: string): FoundLines | Failure {
  if (code !== 2 || found.more) return found;
  const [first = '', ...others] = trouble.split('\n');
  if (/^(rg: )?regex parse error/.test(first)) {
    return toolFailure(
      'bad-pattern',
      `The pattern is not a regular expression: ${others.join('\n').trim() || first}`,
    );
  }
  if (found.hits.length === 0 && others.length === 0 && !first.includes('(os error')) {
    return toolFailure('search-failed', `The search failed: ${first || 'ripgrep gave no reason'}.`);
  }
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  return { ...found, note: `Not everything could be searched: ${first.replace(/^rg: /, '')}${rest}.` };
}
