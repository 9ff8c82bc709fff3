/**
 * Patterns of remembered approvals. A pattern never holds a whole command: neither values of variables nor arguments, so
 * that no secret of a command line ends in the settings. What cannot be told by its beginning alone – a shell's operators,
 * an interpreter – is remembered as the hash of exactly this command.
 */
import { createHash } from 'node:crypto';
import { isGlobMatch } from './glob-states.js';
import { readToolSubject } from './mcp/tool-subject.js';
import { makesAnythingRun, programName, runsAnything } from './runs-anything.js';
import { countKept, hasOnlyUsual } from './usual-arguments.js';

/** Programs whose first argument says what they do. */
const withSubcommands = new Set(
  'apt apt-get brew bun bundle cargo composer deno docker dotnet gh git go gradle gradlew helm just kubectl make mvn mvnw npm nx pip pip3 pnpm podman poetry rake rustup terraform tofu turbo uv yarn'.split(
    ' ',
  ),
);
/** What makes one command line more than one simple command. */
const operators = /[;&|<>`\n\r(){}!\\]|\$\(|\$\{/;
const assignment = /^([A-Za-z_]\w*)=/;

export function patternFor(tool: string, subject: string): string {
  return tool === 'run' ? commandPattern(subject) : escapeGlob(subject);
}

export function matchesPattern(tool: string, pattern: string, subject: string): boolean {
  if (tool !== 'run') return isGlobMatch(pattern, subject);
  const exact = hashPattern.exec(pattern);
  if (exact) return exact[1] === sha256(subject.trim());
  if (operators.test(subject)) return false;
  const words = splitWords(pattern);
  const given = splitWords(subject);
  if (words.length === 0) return false;
  if (words.at(-1) !== '*')
    return words.length === given.length && words.every((word, index) => sameWord(word, given[index]));
  const fixed = words.slice(0, -1);
  return (
    !isForEverything(given, fixed.length) &&
    fixed.length > 0 &&
    given.length >= fixed.length &&
    fixed.every((word, index) => sameWord(word, given[index]))
  );
}

/**
 * Also of a rule that was remembered before it was known what the program can be told to run. `fixed`: how many words stand
 * in the rule itself.
 */
function isForEverything(words: readonly string[], fixed: number): boolean {
  const start = countAssignments(words);
  if (words.slice(0, start).some((word) => makesAnythingRun(word.slice(0, word.indexOf('='))))) return true;
  const [program = '', next = ''] = words.slice(start).map((word) => word.replace(/['"]/g, ''));
  return runsAnything(program, next) || !hasOnlyUsual(words.slice(start), Math.max(fixed - start, 1));
}

const hashPattern = /#sha256:([0-9a-f]{64})$/;

export const isHashed = (pattern: string): boolean => hashPattern.test(pattern);

/** What tools that name a file or an address do with it. */
const deeds: Readonly<Record<string, string>> = {
  edit: 'edits of',
  write: 'writing',
  fetch: 'fetching',
  read: 'reading',
};

/** What a command line may begin with that is no program. */
const shellWords = new Set('for while until if case select function time coproc [['.split(' '));

/** What a pattern allows, for people. */
export function patternWords(tool: string, pattern: string): string {
  const ofServer = tool.startsWith('mcp_') ? readToolSubject(pattern.replace(/\\(.)/gs, '$1')) : undefined;
  // As JSON, so that quotes in a name do not end it.
  if (ofServer !== undefined)
    return `calls of ${JSON.stringify(ofServer.tool)} of the MCP server ${JSON.stringify(ofServer.server)} as it is set up now`;
  if (tool !== 'run') return `${deeds[tool] ?? `the tool ${tool} with`} ${pattern.replace(/\\(.)/gs, '$1')}`;
  const words = splitWords(pattern.replace(hashPattern, ''));
  const names = words.slice(0, countAssignments(words)).map((word) => word.slice(0, word.indexOf('=')));
  const set = names.length === 0 ? '' : `, with ${names.join(', ')} set`;
  const command = words.slice(names.length);
  if (isHashed(pattern)) {
    const [program] = command;
    return program === undefined || shellWords.has(program)
      ? `exactly this command${set}`
      : `exactly this one command of ${program}${set}`;
  }
  if (command.at(-1) !== '*') return `exactly the command ${command.join(' ')}${set}`;
  return `all commands that begin with ${command.slice(0, -1).join(' ')}${set}`;
}

function commandPattern(command: string): string {
  const words = splitWords(command);
  const variables = words.slice(0, countAssignments(words)).map((word) => assignment.exec(word)?.[1] ?? '');
  const names = variables.map((variable) => `${variable}=*`);
  const [program = '', next] = words.slice(names.length);
  const isPlain = /^[\w./-]+$/.test(program);
  const hasSubcommands = withSubcommands.has(programName(program));
  const isSubcommand = hasSubcommands && next !== undefined && /^[a-z][\w:-]*$/.test(next);
  const isUnclear =
    operators.test(command) ||
    variables.some(makesAnythingRun) ||
    runsAnything(program, next) ||
    (hasSubcommands && !isSubcommand) ||
    !hasOnlyUsual(words.slice(names.length));
  if (!isPlain || isUnclear)
    return [...names, ...(isPlain ? [program] : []), `#sha256:${sha256(command.trim())}`].join(' ');
  const kept = isSubcommand ? countKept(program, next) : 0;
  return [...names, program, ...words.slice(names.length + 1, names.length + 1 + kept), '*'].join(' ');
}

function sameWord(pattern: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  const name = pattern.endsWith('=*') ? pattern.slice(0, -1) : undefined;
  return name === undefined ? pattern === word : word.startsWith(name);
}

function countAssignments(words: readonly string[]): number {
  const first = words.findIndex((word) => !assignment.test(word));
  return first === -1 ? words.length : first;
}

const wholeQuotes = /^[^'"]*(?:(?:'[^']*'|"[^"]*")[^'"]*)*$/;

/** As a shell reads them, what stands in quotes within one word; none when a quote has no end. */
function splitWords(text: string): string[] {
  return wholeQuotes.test(text) ? (text.match(/(?:[^ \t'"]|'[^']*'|"[^"]*")+/g) ?? []) : [];
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?]/g, '\\$&');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
