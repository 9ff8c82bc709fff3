/** Tells when something changed in a folder, by word of the operating system. Costs nothing while nothing does. */
import { watch } from 'node:fs';
import { errnoOf } from '../../log/storage.js';
import type { Disposable } from '../../ports.js';

export interface FolderListener {
  /** `name`: of the file, where the system says which. */
  onChange: (name?: string) => void;
  /** It cannot be watched, or not any more: whoever wants to know has to look. May come before the watcher does. */
  onBlind: () => void;
}

/** Undefined where there is no such folder yet, and where it cannot be watched. */
export type WatchFolder = (folder: string, listener: FolderListener) => Disposable | undefined;

export const watchFolder: WatchFolder = (folder, { onChange, onBlind }) => {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => onChange(name ?? undefined));
    watcher.on('error', onBlind);
    return { dispose: () => watcher.close() };
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') onBlind();
    return undefined;
  }
};

/** Folders that are watched. */
export class Watching {
  private readonly watched = new Map<string, Disposable>();
  private readonly blind = new Set<string>();

  constructor(
    private readonly watch: WatchFolder,
    private readonly onChange: (folder: string, name?: string) => void,
  ) {}

  /** These and no others; each is a folder, or what is watched in its place while it is not there. */
  be(wanted: readonly (readonly string[])[]): void {
    const kept = new Set(
      wanted.flatMap((places) => places.find((place) => this.isKnown(place) || this.begin(place)) ?? []),
    );
    for (const [folder, watcher] of this.watched) {
      if (kept.has(folder)) continue;
      watcher.dispose();
      this.watched.delete(folder);
    }
    for (const folder of this.blind) if (!kept.has(folder)) this.blind.delete(folder);
  }

  isWatched(folder: string): boolean {
    return this.watched.has(folder);
  }

  isBlind(folder: string): boolean {
    return this.blind.has(folder);
  }

  private isKnown(folder: string): boolean {
    return this.watched.has(folder) || this.blind.has(folder);
  }

  private begin(folder: string): boolean {
    const watcher = this.watch(folder, {
      onChange: (name) => this.onChange(folder, name),
      onBlind: () => {
        this.watched.get(folder)?.dispose();
        this.watched.delete(folder);
        this.blind.add(folder);
        this.onChange(folder);
      },
    });
    if (watcher !== undefined) this.watched.set(folder, watcher);
    return this.isKnown(folder);
  }
}
