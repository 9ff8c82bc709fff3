/** Whether what is drawn stands near what is in sight: what only a look or a pointer needs is left out elsewhere. */
import { getContext, setContext } from 'svelte';

export interface Sight {
  readonly isNear: boolean;
}

const key = Symbol('sight');
const near: Sight = { isNear: true };

export const provideSight = (sight: Sight): Sight => setContext(key, sight);

/** Outside of a transcript all is near. */
export const useSight = (): Sight => getContext<Sight | undefined>(key) ?? near;
