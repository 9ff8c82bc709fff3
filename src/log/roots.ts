/**
 * Where sessions may be besides the present storage root: folders that the setting named at some time, remembered in
 * `roots.json` of the profile's own storage, and the storages of VS Code's other profiles, which lie beside it. Every window
 * may write `roots.json`, so each change reads it again under a lock and replaces it whole.
 */
import path from 'node:path';
import * as z from 'zod';
import type { Files } from '../ports.js';
import { isBoughError, type BoughError } from '../shared/failure.js';
import { removeStaged } from './leftovers.js';
import type { LeaseParts } from './lease.js';
import { changeRemembered, parsed, readRemembered } from './remembered.js';
import { ifThere, stored } from './storage.js';

const rootsSchema = z.object({
  roots: z.array(z.string()),
  /** Named by another profile too, and not to be shown in this one. */
  forgotten: z.array(z.string()).optional(),
});
const FOLDER = 'globalStorage';
const PROFILES = 'profiles';
const DEFAULT_PROFILE = 'Default';
const profilesSchema = z.object({
  userDataProfiles: z.array(z.object({ name: z.string(), location: z.string() })),
});

/** A storage root that is not the present one. */
export interface OtherRoot {
  root: string;
  /** Of the VS Code profile whose own storage it is; absent for a folder that the setting named. */
  profile?: string;
  /** Somebody remembers it, and there is nothing now: a disk that is not connected, a folder that was moved. */
  isMissing?: true;
}

interface Remembered {
  roots: readonly string[];
  forgotten: readonly string[];
}

export interface RootsParts extends LeaseParts {
  /** Something that is not ours to mend kept a root from being found. */
  onTrouble: (error: BoughError) => void;
}

export class KnownRoots {
  readonly #parts: RootsParts;
  readonly #storage: string;

  /** `storage` is the profile's own, whatever the setting names. */
  constructor(storage: string, parts: RootsParts) {
    this.#parts = parts;
    this.#storage = storage;
  }

  /** Remembers a root that is used; the profile's own storage need not be. */
  async add(root: string): Promise<void> {
    const { files } = this.#parts;
    if (root === this.#storage || (await readRoots(files, this.#storage)).includes(root)) return;
    await this.#change(({ roots, forgotten }) => ({
      roots: [...roots, root],
      forgotten: forgotten.filter((one) => one !== root),
    }));
  }

  /** It is among the others no more, whoever names it, until it is used again. Nothing that is there is touched. */
  async forget(root: string): Promise<void> {
    await this.#change(({ roots, forgotten }) => ({
      roots: roots.filter((one) => one !== root),
      forgotten: [...forgotten, root],
    }));
  }

  async #change(change: (known: Remembered) => Remembered): Promise<void> {
    const { files, clock, who } = this.#parts;
    const file = fileIn(this.#storage);
    await stored('write', file, async () => {
      await files.makeFolder(this.#storage);
      await removeStaged({ files, clock, host: who.host }, this.#storage, await files.list(this.#storage));
    });
    await changeRemembered(this.#parts, file, rootsSchema, (known) => {
      const { roots, forgotten } = change({
        roots: absolute(known?.roots),
        forgotten: absolute(known?.forgotten),
      });
      return {
        roots: [...new Set(roots)],
        ...(forgotten.length === 0 ? {} : { forgotten: [...new Set(forgotten)] }),
      };
    });
  }

  /** All others: this profile's own storage, those of its siblings where they are there, and the roots that any of them names. */
  async others(present: string): Promise<OtherRoot[]> {
    const profiles = await this.#profiles();
    const named = await Promise.all(
      profiles.map(({ root }) => this.#orTold([], () => readRoots(this.#parts.files, root))),
    );
    const forgotten = await this.#orTold([], () => readForgotten(this.#parts.files, this.#storage));
    const seen = new Set([(await this.#trueName(present)) ?? present]);
    const others: OtherRoot[] = [];
    const shown = named.flat().filter((root) => !forgotten.includes(root));
    for (const candidate of [...profiles, ...shown.map((root) => ({ root }))]) {
      const found = await this.#trueName(candidate.root);
      const isMissing = found === undefined;
      const name = found ?? candidate.root;
      if (seen.has(name) || (isMissing && 'profile' in candidate)) continue;
      seen.add(name);
      others.push(isMissing ? { ...candidate, isMissing } : candidate);
    }
    return others;
  }

  /** The storages of all profiles, this one's among them. Outside VS Code's layout there is only this one. */
  async #profiles(): Promise<Required<Pick<OtherRoot, 'root' | 'profile'>>[]> {
    const storage = this.#storage;
    const extension = path.basename(storage);
    const home = path.dirname(path.dirname(storage));
    if (path.basename(path.dirname(storage)) !== FOLDER) return [{ root: storage, profile: DEFAULT_PROFILE }];
    const isOfDefault = path.basename(path.dirname(home)) !== PROFILES;
    const user = isOfDefault ? home : path.dirname(path.dirname(home));
    const folder = path.join(user, PROFILES);
    const { files } = this.#parts;
    const ids = await this.#orTold([], () => stored('list', folder, () => ifThere(files.list(folder))));
    const names = await this.#names(path.join(user, FOLDER, 'storage.json'));
    return [
      { root: path.join(user, FOLDER, extension), profile: DEFAULT_PROFILE },
      ...(ids ?? []).sort().map((id) => ({
        root: path.join(folder, id, FOLDER, extension),
        profile: names.get(id) ?? id,
      })),
    ];
  }

  /** What VS Code calls its profiles, by their ids, where it wrote that down. */
  async #names(file: string): Promise<Map<string, string>> {
    const { files } = this.#parts;
    const read = () => stored('read', file, () => ifThere(files.read(file)));
    const profiles = parsed(await this.#orTold(undefined, read), profilesSchema)?.userDataProfiles ?? [];
    return new Map(profiles.map(({ name, location }) => [path.basename(location), name]));
  }

  /** Undefined when it is not there, or nobody can tell. */
  #trueName(root: string): Promise<string | undefined> {
    const { files } = this.#parts;
    return this.#orTold(undefined, () => stored('look at', root, () => ifThere(files.realPath(root))));
  }

  /** What cannot be read of one root hides none of the others. */
  async #orTold<T>(fallback: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error);
      return fallback;
    }
  }
}

const fileIn = (storage: string): string => path.join(storage, 'roots.json');

const readRoots = async (files: Files, storage: string): Promise<string[]> =>
  absolute((await readRemembered(files, fileIn(storage), rootsSchema))?.roots);

const readForgotten = async (files: Files, storage: string): Promise<string[]> =>
  absolute((await readRemembered(files, fileIn(storage), rootsSchema))?.forgotten);

const absolute = (roots: readonly string[] = []): string[] => roots.filter((root) => path.isAbsolute(root));
