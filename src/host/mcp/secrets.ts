/**
 * Which words of a server's configuration are secrets: they must never stand in a log, a transcript or an export. What a
 * person typed as a password always is; the rest is told by its name, or by a shape that no path or plain word has.
 */
import type { ServerConfig } from './config.js';

const SECRET_WORDS = new Set(
  'key keys apikey token tokens secret secrets password passwd passphrase pass pwd pat auth authorization bearer jwt credential credentials cookie dsn signature'.split(
    ' ',
  ),
);

/** "apiKey", "API_KEY", "--api-key": by whole words, so that an author is no auth and a keyboard no key. */
const namesSecret = (name: string): boolean =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .some((word) => SECRET_WORDS.has(word) || /(?:token|secret|password|apikey)$/.test(word));

/** A file that holds a secret is none, and its path stands in half of all results. */
const isPath = (value: string): boolean => /^(?:[/~.\\]|[A-Za-z]:[\\/])/.test(value);

/** Headers that say nothing about the person. */
const PLAIN_HEADER =
  /^(accept|content-type|user-agent|mcp-protocol-version|cache-control|origin|referer)(-|$)/i;

/** Sixteen letters and digits in one piece, or a UUID: no word, no version and no name of a package is written so. */
const looksRandom = (value: string): boolean =>
  !/[\s/\\]/.test(value) &&
  (/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i.test(value) ||
    (value.match(/[A-Za-z\d]{16,}/g) ?? []).some((run) => /\d.*\d/.test(run) && /[A-Za-z]/.test(run)));

export function secretsOf(config: ServerConfig): string[] {
  const found = config.type === 'stdio' ? secretsOfProgram(config) : secretsOfHttp(config);
  return [...new Set(found.map((word) => word.trim()).filter((word) => word !== ''))];
}

const isSecret = (name: string, value: string): boolean =>
  (namesSecret(name) && !isPath(value)) || looksRandom(value);

function secretsOfProgram({ command, args, env }: Extract<ServerConfig, { type: 'stdio' }>): string[] {
  const ofEnv = Object.entries(env).flatMap(([name, value]) =>
    value === null ? [] : [...(isSecret(name, value) ? [value] : []), ...insideOf(value)],
  );
  const words = [command, ...args];
  const ofArgs = words.flatMap((word, index) => {
    const [, option = '', given] = /^--?([\w.-]+)=(.+)$/s.exec(word) ?? [];
    const before = words[index - 1] ?? '';
    const follows = /^--?[\w.-]+$/.test(before) && !word.startsWith('-');
    const name = given === undefined ? (follows ? before : '') : option;
    const value = given ?? word;
    return isSecret(name, value) ? [value] : insideOf(value);
  });
  return [...ofEnv, ...ofArgs];
}

function secretsOfHttp({ url, headers }: Extract<ServerConfig, { type: 'http' | 'sse' }>): string[] {
  const ofHeaders = Object.entries(headers).flatMap(([name, value]) =>
    PLAIN_HEADER.test(name) ? [] : [value, ...insideOf(value), ...value.split(/\s+/).slice(1)],
  );
  return [...insideOf(url), ...ofHeaders];
}

/** Passwords and tokens in an address. */
function insideOf(value: string): string[] {
  const url = URL.parse(value);
  if (url === null) return [];
  const ofQuery = [...url.searchParams].flatMap(([name, word]) =>
    isSecret(name, word) ? [word, encodeURIComponent(word)] : [],
  );
  return [decoded(url.password), url.password, ...ofQuery];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded: it is what it is.
    return text;
  }
}
