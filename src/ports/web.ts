/** Pages found under an address. */
import type { Failure } from '../shared/failure.js';

/** What is found under an address, as text. */
export interface WebPage {
  /** Where it was found in the end. */
  url: string;
  status: number;
  /** "text/html". */
  type: string;
  text: string;
  /** The page goes on beyond what was read. */
  isCut: boolean;
}

export interface Web {
  /** Whether an address is on this machine or in a private network, as far as its text tells; says what it is. */
  nearby(url: URL): string | null;
  /** Follows redirects within the origin only. */
  open(url: URL, signal: AbortSignal): Promise<WebPage | Failure>;
}
