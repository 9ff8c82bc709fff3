/** A store as a window sees it: where its sessions belong, and what it cannot do. */
import type { ListReading } from '../../log/list-reading.js';
import type { SessionStore, StoreAbilities } from '../../log/store.js';
import { BoughError } from '../../shared/failure.js';

/** A custom store may lack some of the abilities. */
export type WholeStore = SessionStore & Partial<StoreAbilities> & { readonly reading?: ListReading };

/** The sessions of one folder. */
export interface Place {
  /** Of its bucket. */
  key: string;
  /** URI; undefined without a folder. */
  folder: string | undefined;
  /** Where their logs lie, when they are files. */
  logs?: string;
  store: WholeStore;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const has = async (store: WholeStore, id: string): Promise<boolean> =>
  (await store.summary?.(id)) !== undefined;

export const unable = (what: string): Promise<never> =>
  Promise.reject(new BoughError('InvalidArgument', `Where these sessions are kept, Bough cannot ${what}.`));
