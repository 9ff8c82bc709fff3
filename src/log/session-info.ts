/** What a person may call a session, as every store takes it. */
import { BoughError } from '../shared/failure.js';

/** @throws BoughError InvalidArgument when it is blank */
export function nameOf(name: string): { name: string } {
  if (name.trim() === '') throw new BoughError('InvalidArgument', 'The name of a session must not be blank.');
  return { name: name.trim() };
}

/** Trimmed, each once. @throws BoughError InvalidArgument when one is blank */
export function tagsOf(tags: readonly string[]): { tags: string[] } {
  const trimmed = [...new Set(tags.map((tag) => tag.trim()))];
  if (trimmed.includes('')) throw new BoughError('InvalidArgument', 'A tag must not be blank.');
  return { tags: trimmed };
}
