/**
 * What the attempts of one step streamed: the last that brought text, and of those before it every word that the last one
 * does not hold. An answer that drops again and again loses none of them.
 */
import type { DroppedView } from '../shared/protocol.js';
import type { PartialText, TriedText } from './types.js';

/** A new attempt of the step brought this; what came before stands behind it. */
export function afterDrop<T extends TriedText>(
  before: PartialText | null,
  next: T,
): T & Pick<PartialText, 'earlier'> {
  const earlier = before === null ? [] : [...(before.earlier ?? []), triedText(before)];
  return withEarlier(next, earlier);
}

/** Attempts of one step in their order, the last with or without text. */
export function partialOf(last: TriedText, earlier: readonly TriedText[]): PartialText {
  if (!isBlank(last)) return withEarlier(last, earlier);
  const at = earlier.findLastIndex((tried) => !isBlank(tried));
  const brought = earlier[at];
  return brought === undefined ? last : withEarlier(brought, earlier.slice(0, at));
}

/** All of it as the next attempt's journal keeps it. */
export const triesOf = (partial: PartialText): TriedText[] => [
  ...(partial.earlier ?? []),
  triedText(partial),
];

/** What the person sees of it while the step waits to be asked again. */
export const droppedOf = (partial: PartialText | null): DroppedView | null =>
  partial === null || isBlank(partial) ? null : { tries: triesOf(partial) };

export const isBlank = ({ text, reasoning }: TriedText): boolean =>
  text.trim() === '' && reasoning.trim() === '';

const triedText = ({ attempt_id, text, reasoning }: TriedText): TriedText => ({
  attempt_id,
  text,
  reasoning,
});

/** What a later text begins with is in it. */
function withEarlier<T extends TriedText>(
  last: T,
  earlier: readonly TriedText[],
): T & Pick<PartialText, 'earlier'> {
  const all = [...earlier, last];
  const kept = earlier.filter(
    (tried, index) =>
      !isBlank(tried) &&
      !all
        .slice(index + 1)
        .some(({ text, reasoning }) => text.startsWith(tried.text) && reasoning.startsWith(tried.reasoning)),
  );
  return kept.length === 0 ? last : { ...last, earlier: kept };
}
