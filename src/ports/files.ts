/** The file system as the log uses it. */

export interface FileStat {
  size: number;
  /** ms since the epoch. */
  mtime: number;
  /** The same of its last change of any kind, which nobody can set; absent where the file system has no such time. */
  changed?: number;
  isFile: boolean;
  isFolder: boolean;
  /** The same as long as the path leads to the same file; absent where files have none. */
  identity?: string;
}

/** One open descriptor. Every call may do less than asked (short reads and writes): callers loop. */
export interface OpenFile {
  /** What it was when it was opened, where that is known without asking. */
  opened?: FileStat;
  read(into: Uint8Array, position: number): Promise<number>;
  /** Appends (the file is open with O_APPEND) or writes at the descriptor's position; returns how many bytes were taken. */
  write(bytes: Uint8Array): Promise<number>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/** The file system as the log uses it: a seam on which tests fail single system calls. Errors carry `code` (errno). */
export interface Files {
  /** `read`: must exist. `append`: O_APPEND, created 0600 when missing. `create`: fails with EEXIST. */
  open(path: string, mode: 'read' | 'append' | 'create'): Promise<OpenFile>;
  read(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<FileStat>;
  /**
   * The same of many, for less: what tells a file from another of its name may be absent. Undefined for one that could not
   * be looked at; `stat` says why. Absent where many cost what each does.
   */
  statAll?(paths: readonly string[]): Promise<(FileStat | undefined)[]>;
  list(folder: string): Promise<string[]>;
  /** Creates the folder and its parents, 0700. */
  makeFolder(folder: string): Promise<void>;
  /** Replaces a small file as a whole (temp file, sync, rename, folder sync), 0600. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  removeTree(folder: string): Promise<void>;
  syncFolder(folder: string): Promise<void>;
  realPath(path: string): Promise<string>;
  /** When it says it was changed last: for copies, which are as old as what they were made of. */
  setTime(path: string, mtime: number): Promise<void>;
}
