/**
 * Which words of a server's configuration are secrets: they must never stand in a log, a transcript or an export. What a
 * person typed as a password always is; the rest is told by its name, or by a shape that no path or plain word has. A
 * secret is replaced wherever it stands, so an ordinary word is none, whatever holds it.
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

/** A file that holds a secret is none, and its path stands in half of all results. So does an address: see {@link insideOf}. */
const isPlace = (value: string): boolean =>
  /^(?:[/~.\\]|[A-Za-z]:[\\/])/.test(value) || /^[a-z][a-z\d+.-]*:\/\/[^\s/]/i.test(value);

/** Sixteen letters and digits in one piece, or a UUID: no word, no version and no name of a package is written so. */
const looksRandom = (value: string): boolean =>
  !/[\s/\\]/.test(value) &&
  (/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i.test(value) ||
    (value.match(/[A-Za-z\d]{16,}/g) ?? []).some((run) => /\d.*\d/.test(run) && /[A-Za-z]/.test(run)));

/** Shorter ones are syllables of any text. */
const MIN_CHARS = 8;

/** More words than go into this are not what people call things. */
const ORDINARY_CHARS = 24;

/** One word of a name: "payments", "OAuth2", "clientSecret", a number. */
const isWord = (piece: string): boolean =>
  /^(?:[A-Z]{0,2}[a-z]{1,14}(?:[A-Z][a-z]{2,14})*|[A-Z]{1,15})\d?$/.test(piece) || /^v?\d{1,4}$/.test(piece);

const isNumber = (value: string): boolean => value.length < 16 && /^v?\d+(?:[.:-]\d+)*$/.test(value);

/**
 * What files are full of: names, versions, dates, addresses of people. What is secret is taken out of all that is written,
 * the files of the person too, so that a word of these must stay whatever the option is called that holds it.
 */
const isOrdinary = (value: string): boolean =>
  value.length < MIN_CHARS ||
  isNumber(value) ||
  /^[A-Za-z][\w.+-]*@[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+$/.test(value) ||
  (value.length <= ORDINARY_CHARS &&
    value.split(/[-_.,:;=/@ ]+/).every((piece) => piece === '' || isWord(piece)));

export function secretsOf(config: ServerConfig): string[] {
  const found = config.type === 'stdio' ? secretsOfProgram(config) : secretsOfHttp(config);
  return [...new Set(found.map((word) => word.trim()).filter((word) => !isOrdinary(word)))];
}

const isSecret = (name: string, value: string): boolean =>
  (namesSecret(name) && !isPlace(value)) || looksRandom(value);

function secretsOfProgram({ command, args, env }: Extract<ServerConfig, { type: 'stdio' }>): string[] {
  const ofEnv = Object.entries(env).flatMap(([name, value]) =>
    value === null ? [] : [...(isSecret(name, value) ? [value] : []), ...insideOf(value, name)],
  );
  const words = [command, ...args];
  const ofArgs = words.flatMap((word, index) => {
    const [, option = '', given] = /^--?([\w.-]+)=(.+)$/s.exec(word) ?? [];
    const before = words[index - 1] ?? '';
    const follows = /^--?[\w.-]+$/.test(before) && !word.startsWith('-');
    const name = given === undefined ? (follows ? before : '') : option;
    const value = given ?? word;
    return isSecret(name, value) ? [value] : insideOf(value, name);
  });
  return [...ofEnv, ...ofArgs];
}

function secretsOfHttp({ url, headers }: Extract<ServerConfig, { type: 'http' | 'sse' }>): string[] {
  const ofHeaders = Object.entries(headers).flatMap(([name, value]) => [
    ...(isSecret(name, value) ? [value] : []),
    ...insideOf(value, name),
    ...piecesOf(value).filter((piece) => isSecret(name, piece)),
  ]);
  return [...insideOf(url), ...foldersOf(url), ...ofHeaders];
}

/** "Bearer abc" is not said again as a whole; neither are all cookies at once. */
const piecesOf = (header: string): string[] =>
  header.split(/[\s;,]+/).map((piece) => /^[\w.-]+=([^=].*)$/s.exec(piece)?.[1] ?? piece);

/** Passwords and tokens in an address; under a name that names a secret those among its folders, too. */
function insideOf(value: string, name = ''): string[] {
  const url = URL.parse(value);
  if (url === null) return [];
  const ofQuery = [...url.searchParams].flatMap(([name, word]) =>
    isSecret(name, word) ? [word, encodeURIComponent(word)] : [],
  );
  const ofFolders = namesSecret(name) ? foldersOf(value) : [];
  return [
    ...[url.username].filter(looksRandom),
    decoded(url.password),
    url.password,
    ...ofFolders,
    ...ofQuery,
  ];
}

/** Servers that are reached at an address of one's own have their token there. */
const foldersOf = (value: string): string[] =>
  (URL.parse(value)?.pathname ?? '').split('/').filter(looksRandom);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded: it is what it is.
    return text;
  }
}
