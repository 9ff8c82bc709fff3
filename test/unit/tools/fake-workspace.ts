/**
 * A workspace in memory: files, unsaved buffers and links are plain maps a test can look into and change. It keeps the
 * port's promises – what lies outside is refused, a change is applied only to the text it was made for – and records
 * what was asked of it.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import picomatch from 'picomatch';
import type {
  AppliedChange,
  CommandResult,
  FileChange,
  Language,
  RunOptions,
  SearchHit,
  TerminalResult,
  Web,
  Workspace,
  WorkspaceFolder,
  WorkspacePath,
} from '../../../src/ports.js';
import { toolFailure, type Failure } from '../../../src/shared/failure.js';

export interface FakeOptions {
  /** Path → text or bytes; relative to the first folder, or absolute. */
  files?: Record<string, string | Uint8Array>;
  /** Names of the workspace folders; they lie at `/<name>`. Default: one, `workspace`. */
  folders?: string[];
  trusted?: boolean;
  /** Unsaved text of open editors. */
  dirty?: Record<string, string>;
  /** Symbolic links: path → absolute target. */
  links?: Record<string, string>;
  formatOnSave?: (text: string) => string;
  /** The sentence of a save that fails: the change stands in the editor only. */
  failSave?: string;
  /** Why this file cannot be put back; undefined when it can. */
  failPut?: (shown: string) => string | undefined;
  language?: Partial<Language>;
  web?: Partial<Web>;
  run?: (command: string, options: RunOptions) => CommandResult | Failure | Promise<CommandResult | Failure>;
  inTerminal?: (command: string, options: RunOptions) => TerminalResult | Failure;
}

export interface FakeWorkspace extends Workspace {
  trusted: boolean;
  /** Absolute path → bytes on disk. */
  readonly disk: Map<string, Uint8Array>;
  /** Absolute path → unsaved text. */
  readonly dirty: Map<string, string>;
  readonly applied: FileChange[];
  readonly commands: string[];
  /** Text on disk, by a path relative to the first folder. */
  text(file: string): string | undefined;
  set(file: string, text: string): void;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
export const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

export const finished = (output: string, exit_code = 0): CommandResult => ({
  exit_code,
  output,
  dropped_bytes: 0,
  timed_out: false,
  elapsed_ms: 1000,
});

export function fakeWorkspace(options: FakeOptions = {}): FakeWorkspace {
  const folders: WorkspaceFolder[] = (options.folders ?? ['workspace']).map((name) => ({
    name,
    path: `/${name}`,
    uri: `file:///${name}`,
  }));
  const root = folders[0]?.path ?? '/';
  const absolute = (file: string): string => path.posix.resolve(root, file);
  const disk = new Map<string, Uint8Array>();
  for (const [file, content] of Object.entries(options.files ?? {})) {
    disk.set(absolute(file), typeof content === 'string' ? encode(content) : content);
  }
  const entriesOf = (record: Record<string, string> = {}) =>
    Object.entries(record).map(([file, value]) => [absolute(file), value] as const);
  const dirty = new Map(entriesOf(options.dirty));
  const links = new Map(entriesOf(options.links));
  const at = ({ uri }: WorkspacePath): string => new URL(uri).pathname;

  const follow = (file: string): string => {
    for (const [link, target] of links) {
      if (file === link || file.startsWith(`${link}/`)) return target + file.slice(link.length);
    }
    return file;
  };
  const placeOf = (file: string): WorkspacePath | Failure => {
    const folder = folders.find((one) => file === one.path || file.startsWith(`${one.path ?? ''}/`));
    if (folder === undefined) {
      return toolFailure('outside', `${file} lies outside the workspace.`);
    }
    const relative = path.posix.relative(folder.path ?? '/', file);
    const shown =
      folders.length > 1 ? path.posix.join(folder.name, relative) : relative === '' ? '.' : relative;
    return { uri: `file://${file}`, shown, folder };
  };
  const isFolder = (file: string): boolean =>
    folders.some((folder) => folder.path === file) ||
    [...disk.keys()].some((key) => key.startsWith(`${file}/`));

  const fake: FakeWorkspace = {
    trusted: options.trusted ?? true,
    disk,
    dirty,
    applied: [],
    commands: [],
    text: (file) => {
      const bytes = disk.get(absolute(file));
      return bytes === undefined ? undefined : decode(bytes);
    },
    set: (file, text) => {
      disk.set(absolute(file), encode(text));
    },
    folders: () => folders,
    resolve: (file) => {
      if (folders.length === 0) return Promise.resolve(toolFailure('no-folder', 'No folder is open.'));
      const named =
        folders.length > 1 && folders.some(({ name }) => file === name || file.startsWith(`${name}/`));
      return Promise.resolve(placeOf(follow(named ? `/${file}` : absolute(file))));
    },
    list: (folder) => {
      const prefix = `${at(folder)}/`;
      if (!isFolder(at(folder)))
        return Promise.resolve(toolFailure('missing', `There is no folder ${folder.shown}.`));
      const found = new Map<string, { name: string; kind: 'file' | 'folder' | 'link'; bytes: number }>();
      for (const [file, bytes] of disk) {
        if (!file.startsWith(prefix)) continue;
        const [name = '', ...rest] = file.slice(prefix.length).split('/');
        found.set(
          name,
          rest.length > 0 ? { name, kind: 'folder', bytes: 0 } : { name, kind: 'file', bytes: bytes.length },
        );
      }
      for (const link of links.keys()) {
        if (path.posix.dirname(link) === at(folder)) {
          found.set(path.posix.basename(link), { name: path.posix.basename(link), kind: 'link', bytes: 0 });
        }
      }
      return Promise.resolve([...found.values()]);
    },
    read: (file) => {
      const bytes = disk.get(at(file));
      const unsaved = dirty.get(at(file));
      if (unsaved !== undefined) {
        return Promise.resolve({
          text: unsaved,
          hash: sha256(unsaved),
          dirty: true,
          bytes: encode(unsaved).length,
        });
      }
      if (bytes === undefined) {
        return Promise.resolve(
          isFolder(at(file))
            ? toolFailure('folder', `${file.shown} is a folder; use list.`)
            : toolFailure('missing', `There is no file ${file.shown}.`),
        );
      }
      if (bytes.includes(0)) return Promise.resolve(toolFailure('binary', `${file.shown} is a binary file.`));
      const text = decode(bytes);
      const state = { text, hash: sha256(bytes), dirty: false, bytes: bytes.length };
      return Promise.resolve(sha256(text) === sha256(bytes) ? state : { ...state, lossy: true });
    },
    hash: (file) => {
      const content = dirty.get(at(file)) ?? disk.get(at(file));
      return Promise.resolve(content === undefined ? null : sha256(content));
    },
    bytes: (file) => {
      const content = dirty.get(at(file)) ?? disk.get(at(file)) ?? null;
      return Promise.resolve(typeof content === 'string' ? encode(content) : content);
    },
    put: (file, { seen, bytes }) => {
      const content = dirty.get(at(file)) ?? disk.get(at(file));
      if (isFolder(at(file))) return Promise.resolve(toolFailure('folder', `${file.shown} is a folder.`));
      if ((content === undefined ? null : sha256(content)) !== seen)
        return Promise.resolve(toolFailure('changed', `${file.shown} was changed meanwhile.`));
      const failed = options.failPut?.(file.shown);
      if (failed !== undefined) return Promise.resolve(toolFailure('denied', failed));
      const hash = bytes === null ? null : sha256(bytes);
      if (bytes === null) disk.delete(at(file));
      else if (dirty.has(at(file))) dirty.set(at(file), decode(bytes));
      else disk.set(at(file), bytes);
      return Promise.resolve({ hash, saved: !dirty.has(at(file)) });
    },
    search: (query) => {
      let regex: RegExp;
      try {
        regex = query.regex ? new RegExp(query.pattern) : new RegExp(escapeRegex(query.pattern));
      } catch (error) {
        return Promise.resolve(
          toolFailure('bad-pattern', `The pattern is not a regular expression: ${String(error)}`),
        );
      }
      const hits: SearchHit[] = [];
      for (const [file, bytes] of [...disk].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const within = query.in === undefined || file === at(query.in) || file.startsWith(`${at(query.in)}/`);
        const place = placeOf(file);
        if (!within || 'kind' in place) continue;
        for (const [index, line] of decode(bytes).split('\n').entries()) {
          if (regex.test(line)) hits.push({ path: place, line: index + 1, text: line });
        }
      }
      return Promise.resolve({ hits: hits.slice(0, query.maxResults), more: hits.length > query.maxResults });
    },
    find: (query) => {
      const matches = picomatch(query.pattern, { dot: true, basename: !query.pattern.includes('/') });
      const base = query.in === undefined ? root : at(query.in);
      const files = [...disk.keys()]
        .sort()
        .filter((file) => file.startsWith(`${base}/`) && matches(file.slice(base.length + 1)))
        .map(placeOf)
        .flatMap((place) => ('kind' in place ? [] : [place]));
      return Promise.resolve({
        files: files.slice(0, query.maxResults),
        more: files.length > query.maxResults,
      });
    },
    language: {
      problems: () => [],
      freshProblems: () => Promise.resolve({ problems: [], isSure: true }),
      symbols: () => Promise.resolve([]),
      findSymbols: () => Promise.resolve([]),
      references: (file) => Promise.resolve(toolFailure('no-symbol', `There is no name in ${file.shown}.`)),
      ...options.language,
    },
    web: {
      nearby: () => null,
      open: (url) => Promise.resolve(toolFailure('unreachable', `${url.href} could not be opened.`)),
      ...options.web,
    },
    apply: (changes) => {
      for (const { path: file, before } of changes) {
        const bytes = disk.get(at(file));
        const now = dirty.get(at(file)) ?? (bytes === undefined ? null : decode(bytes));
        if (now !== before)
          return Promise.resolve(toolFailure('changed', `${file.shown} changed meanwhile.`));
      }
      return Promise.resolve(changes.map(applyOne));
    },
    run: async (command, runOptions) => {
      fake.commands.push(command);
      return (await options.run?.(command, runOptions)) ?? finished('');
    },
    runInTerminal: (command, runOptions) =>
      Promise.resolve(
        options.inTerminal?.(command, runOptions) ?? toolFailure('no-terminal', 'There is no terminal here.'),
      ),
  };

  const applyOne = (change: FileChange): AppliedChange => {
    const file = at(change.path);
    fake.applied.push(change);
    const unsaved = dirty.get(file);
    const before_bytes = unsaved === undefined ? (disk.get(file) ?? null) : encode(unsaved);
    if (change.after === null) {
      disk.delete(file);
      return { path: change.path, text: '', saved: true, before_bytes, after_bytes: null };
    }
    if (unsaved !== undefined) {
      dirty.set(file, change.after);
      return {
        path: change.path,
        text: change.after,
        saved: false,
        before_bytes,
        after_bytes: encode(change.after),
      };
    }
    if (options.failSave !== undefined) {
      dirty.set(file, change.after);
      const state = {
        path: change.path,
        text: change.after,
        before_bytes,
        after_bytes: encode(change.after),
      };
      return { ...state, saved: false, problem: options.failSave };
    }
    const text = options.formatOnSave?.(change.after) ?? change.after;
    disk.set(file, encode(text));
    return { path: change.path, text, saved: true, before_bytes, after_bytes: encode(text) };
  };

  return fake;
}

const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
