/** Nobody asks for several answers: of those that come side by side, the one that began first is the answer. */
import { isRecord, type Json } from './json.js';

interface Chosen {
  /** Undefined: the frame has nothing of the answer. */
  answer: Json | undefined;
  /** Others stand beside it, or in place of it. */
  hasOthers: boolean;
}

/** Picks it from each frame's list; an index that is not stated is 0. */
export const onlyAnswer = (): ((list: unknown) => Chosen) => {
  let ours: unknown;
  const indexOf = (answer: Json): unknown => answer['index'] ?? 0;
  return (list) => {
    const all = Array.isArray(list) ? list.filter(isRecord) : [];
    if (all[0]) ours ??= indexOf(all[0]);
    const answer = all.find((one) => indexOf(one) === ours);
    return { answer, hasOthers: all.length > (answer ? 1 : 0) };
  };
};
