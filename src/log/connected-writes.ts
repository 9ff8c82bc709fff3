/** Which of a custom store's methods writes what. */
import type { Header } from '../shared/entry.js';
import { serialiseHeader } from './codec.js';
import type { CallOptions, CustomStore, StoredEntry } from './custom-store.js';

type WriteOperation = 'create' | 'append' | 'appendStep' | 'appendIncompleteOutput' | 'appendBranchSummary';
export interface Write {
  operation: WriteOperation;
  write: (store: CustomStore, options: CallOptions) => Promise<boolean>;
}

function operationFor(entries: readonly StoredEntry[]): Exclude<WriteOperation, 'create'> {
  if (entries.length > 1) return 'appendStep';
  if (entries[0]?.['type'] === 'incomplete_output') return 'appendIncompleteOutput';
  return entries[0]?.['type'] === 'branch_summary' ? 'appendBranchSummary' : 'append';
}

const missing = (): Promise<never> => Promise.reject(new TypeError('this method is missing'));

/** The session with its first entries. */
export function creation(header: Header, entries: readonly StoredEntry[]): Write {
  const stored = JSON.parse(serialiseHeader(header)) as StoredEntry;
  return { operation: 'create', write: (store, options) => store.create(stored, entries, options) };
}

/** Entries behind `position` others. */
export function addition(id: string, position: number, entries: readonly StoredEntry[]): Write {
  const [entry = {}] = entries;
  const operation = operationFor(entries);
  return {
    operation,
    write: (store, options) => {
      if (operation === 'appendStep') return store.appendStep?.(id, position, entries, options) ?? missing();
      return store[operation]?.(id, position, entry, options) ?? missing();
    },
  };
}

/** Whether what a store has of a session is what it was made with, and what was added since. */
export const beginsWith = (stored: readonly StoredEntry[], made: readonly StoredEntry[]): boolean =>
  made.length > 0 && made.every((entry, index) => entry['id'] === stored[index]?.['id']);
