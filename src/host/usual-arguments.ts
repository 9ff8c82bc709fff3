/**
 * Whether what follows the beginning that a rule allows leaves the command what the rule was made for. An argument can make
 * a tool run something else, take another project or configuration, or write elsewhere: `npm test --script-shell=./a`. Only
 * the arguments that are known to do none of that are covered, and only of tools that are known; what goes to a script of
 * the project is, unless it says that it does. What is not covered is asked about again, and can be remembered as exactly
 * that command.
 */
import { programName } from './runs-anything.js';
import { isAway, isLoose, isPlain } from './script-arguments.js';
import { isExpanded, readWord, type Word } from './shell-words.js';
import { readers, toolNamed } from './usual-tools.js';
import type { Usual } from './usual.js';

/** What stands for a tool in a project's own folder; a `./git` is any program. */
const ownTools = new Set(['./gradlew', './mvnw']);

/**
 * `words`: program and arguments as a shell splits them; the first `fixed` of them stand in the rule, and are the person's
 * own choice. Of a tool that is not known, the rule has to say by a second word at least what it is for.
 */
export function hasOnlyUsual(words: readonly string[], fixed = 1): boolean {
  if (words.slice(fixed).some(isExpanded)) return false;
  const given = words.map(readWord);
  const [program, subcommand, verb] = given.map(({ text }) => text);
  const name = knownName(program ?? '');
  if (name !== undefined && readers.has(name)) return true;
  const tool = name === undefined ? undefined : toolNamed(name);
  if (tool === undefined) return fixed > 1 && isLoose(given.slice(fixed));
  if (subcommand === undefined) return true;
  const named = tool.find(({ subcommands }) => subcommands.has(subcommand));
  const usual = named ?? tool.find(({ subcommands }) => subcommands.has('*'));
  if (usual === undefined) return false;
  if (usual.verbs !== undefined && fixed < 3 && verb !== undefined && !usual.verbs.has(verb)) return false;
  const isTask = usual.isTasks === true && !subcommand.startsWith('-') && given[1]?.glob === -1;
  return isUsual(given.slice(Math.max(fixed, named !== undefined || isTask ? 2 : 1)), usual);
}

/** How many words a rule for the beginning of this command keeps besides the program, when its subcommand is one of them. */
export function countKept(program: string, subcommand: string): 1 | 2 {
  const tool = toolNamed(knownName(program) ?? '');
  return tool?.find(({ subcommands }) => subcommands.has(subcommand))?.verbs === undefined ? 1 : 2;
}

const knownName = (program: string): string | undefined =>
  !program.includes('/') || ownTools.has(program) ? programName(program) : undefined;

function isUsual(words: readonly Word[], usual: Usual): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? { text: '', glob: -1 };
    const { text } = word;
    if (text === '--') {
      const after = words.slice(at + 1);
      if (usual.rest.startsWith('script')) return isLoose(after);
      return usual.rest === 'any' && after.every((one) => one.text.startsWith('-') || isOperand(one, usual));
    }
    if (!text.startsWith('-')) {
      if (usual.rest === 'none' && text !== '.') return false;
      if (!isOperand(word, usual)) return false;
      if (usual.rest === 'script after name' || usual.rest === 'script always')
        return isLoose(words.slice(at));
      continue;
    }
    if (word.glob !== -1 && !text.slice(0, word.glob).includes('=')) return false;
    const taken = takes(text, usual);
    if (taken === undefined) return usual.rest === 'script always' && isLoose(words.slice(at));
    const next = words[at + 1];
    if (taken.value !== undefined || !taken.takesNext || next === undefined) {
      if (taken.value !== undefined && !mayBe(taken.name, taken.value, usual)) return false;
    } else if (next.glob !== -1 || !mayBe(taken.name, next.text, usual)) return false;
    // It may be its value, or, when it takes none here, an option that is to be looked at as any other.
    else if (!next.text.startsWith('-')) at += 1;
    else if (usual.rest !== 'any') return false;
  }
  return true;
}

const isOperand = (word: Word, usual: Usual): boolean =>
  isPlain(word) && (usual.isAnywhere === true || !(word.text.startsWith('@') || isAway(word.text)));

function mayBe(name: string, value: string, usual: Usual): boolean {
  if (usual.isAnywhere !== true && isAway(value)) return false;
  const values = usual.valued.get(name);
  return (
    values === undefined ||
    values.some((one) => (one.endsWith('*') ? value.startsWith(one.slice(0, -1)) : value === one))
  );
}

interface Taken {
  name: string;
  /** What stands in the same word. */
  value: string | undefined;
  takesNext: boolean;
}

/** Which of the options it is; undefined when it is none of them. */
function takes(option: string, { flags, valued }: Usual): Taken | undefined {
  const at = option.indexOf('=');
  const name = at === -1 ? option : option.slice(0, at);
  const value = at === -1 ? undefined : option.slice(at + 1);
  if (flags.has(name) || valued.has(name)) return { name, value, takesNext: !flags.has(name) };
  if (option.startsWith('--')) return undefined;
  if (flags.has('-0') && /^-\d+$/.test(option)) return { name: '-0', value: undefined, takesNext: false };
  for (let index = 1; index < option.length; index += 1) {
    const letter = `-${option.charAt(index)}`;
    const glued = option.slice(index + 1).replace(/^=/, '');
    if (valued.has(letter)) return { name: letter, value: glued || undefined, takesNext: true };
    if (!flags.has(letter)) return undefined;
  }
  return { name: option, value: undefined, takesNext: false };
}
