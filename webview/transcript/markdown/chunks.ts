/**
 * Blocks in groups that stay the same objects while nothing in them changes: of a long text that grows only the last group
 * is looked at again. A block never goes from one group to another.
 */
import type { Token } from 'marked';

/** Blocks and the spaces between them. */
const SIZE = 40;

export class Chunks {
  #chunks: readonly (readonly Token[])[] = [];

  update(tokens: readonly Token[]): readonly (readonly Token[])[] {
    const chunks: (readonly Token[])[] = [];
    for (let from = 0; from < tokens.length; from += SIZE) {
      const to = Math.min(from + SIZE, tokens.length);
      const before = this.#chunks[chunks.length];
      chunks.push(
        before?.length === to - from && before.every((token, index) => token === tokens[from + index])
          ? before
          : tokens.slice(from, to),
      );
    }
    this.#chunks = chunks;
    return chunks;
  }
}
