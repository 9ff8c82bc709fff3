/** Tells when something changed in a folder, by word of the operating system. Costs nothing while nothing does. */
import { watch } from 'node:fs';
import { errnoOf } from '../../log/storage.js';
import type { Disposable } from '../../ports.js';

export interface FolderListener {
  onChange: () => void;
  /** It cannot be watched, or not any more: whoever wants to know has to look. May come before the watcher does. */
  onBlind: () => void;
}

/** Undefined where there is no such folder yet, and where it cannot be watched. */
export type WatchFolder = (folder: string, listener: FolderListener) => Disposable | undefined;

export const watchFolder: WatchFolder = (folder, { onChange, onBlind }) => {
  try {
    const watcher = watch(folder, { persistent: false }, () => onChange());
    watcher.on('error', onBlind);
    return { dispose: () => watcher.close() };
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') onBlind();
    return undefined;
  }
};
