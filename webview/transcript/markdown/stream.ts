/**
 * Markdown that grows: gives after every update the tokens a full parse would give, but parses again only what can still
 * change. A block is settled once a later block has begun on a complete line.
 */
import { Lexer, type Token } from 'marked';
import { BoundedTokenizer } from './nesting.js';
import { keepSame } from './same.js';

/** Tokens of a text, and whether it defines a link ("[name]: address"), be it within a quotation or a list. */
interface Parsed {
  tokens: Token[];
  defines: boolean;
}

export class StreamMarkdown {
  #text = '';
  #settled: Token[] = [];
  /** Characters of the text that the settled tokens cover. */
  #end = 0;
  /** Characters behind {@link #end} that were looked at for blocks to settle. */
  #looked = 0;
  /** What stood behind the settled tokens. */
  #open: readonly Token[] = [];
  #tokens: readonly Token[] = [];

  /** Takes the whole text; costs little when it begins with what was there before. */
  update(whole: string): readonly Token[] {
    const text = whole.includes('\r') ? whole.replace(/\r\n|\r/g, '\n') : whole;
    if (text === this.#text) return this.#tokens;
    if (text.slice(0, this.#text.length) !== this.#text) this.#restart();
    this.#text = text;
    this.#tokens = this.#parse();
    return this.#tokens;
  }

  #restart(): void {
    this.#settled = [];
    this.#end = 0;
    this.#looked = 0;
    this.#open = [];
  }

  #parse(): readonly Token[] {
    const rest = this.#text.slice(this.#end);
    const { tokens, defines } = lex(rest);
    // A definition changes what stands before it, and a settled one what comes after it: then all is parsed anew.
    if (defines) {
      this.#restart();
      return lex(this.#text).tokens;
    }
    const open = keepSame(this.#open, tokens);
    this.#open = open;
    const all = this.#settled.concat(open);
    const complete = rest.lastIndexOf('\n') + 1;
    if (complete > this.#looked) {
      const whole = complete === rest.length ? { tokens: open, defines } : lex(rest.slice(0, complete));
      if (!whole.defines) this.#settle(keepSame(open, whole.tokens));
    }
    return all;
  }

  /** Keeps what stands before the last block of complete lines: a line that is not whole can still change several blocks. */
  #settle(open: readonly Token[]): void {
    const last = open.findLastIndex(({ type }) => type !== 'space');
    const before = open.slice(0, Math.max(last, 0));
    const length = before.reduce((sum, { raw }) => sum + raw.length, 0);
    this.#settled = this.#settled.concat(before);
    this.#end += length;
    this.#looked = open.reduce((sum, { raw }) => sum + raw.length, 0) - length;
    this.#open = this.#open.slice(before.length);
  }
}

function lex(text: string): Parsed {
  const lexer = new Lexer({ gfm: true, tokenizer: new BoundedTokenizer() });
  const tokens = [...lexer.lex(text)];
  return { tokens, defines: Object.keys(lexer.tokens.links).length > 0 };
}

/** All at once, for text that does not grow. */
export const parseMarkdown = (text: string): readonly Token[] => lex(text.replace(/\r\n|\r/g, '\n')).tokens;
