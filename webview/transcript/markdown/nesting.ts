/** Reads Markdown down to a depth; what is nested deeper stays the text that it was written as. */
import { Tokenizer, type Tokens } from 'marked';

/** Nobody reads deeper, and each level costs stack: in the reader, in the drawing, in the page. */
export const DEEPEST = 60;

export class BoundedTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#within(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.#within(() => super.list(src));
  }

  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    return this.#within(() => super.link(src));
  }

  override reflink(...given: Parameters<Tokenizer['reflink']>): ReturnType<Tokenizer['reflink']> {
    return this.#within(() => super.reflink(...given));
  }

  override emStrong(...given: Parameters<Tokenizer['emStrong']>): ReturnType<Tokenizer['emStrong']> {
    return this.#within(() => super.emStrong(...given));
  }

  override del(...given: Parameters<Tokenizer['del']>): ReturnType<Tokenizer['del']> {
    return this.#within(() => super.del(...given));
  }

  #within<T>(read: () => T): T | undefined {
    if (this.#depth >= DEEPEST) return undefined;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }
}
