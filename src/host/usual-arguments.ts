/**
 * Whether what follows the beginning that a rule allows leaves the command what the rule was made for. An argument can make
 * a tool run something else, take another project or configuration, or write elsewhere: `npm test --script-shell=./a`. Of
 * the tools here only the arguments that are known to do none of that are covered; of any other, those whose name says that
 * they do are not. What is not covered is asked about again, and can be remembered as exactly that command.
 */
import { programName } from './runs-anything.js';
import { readers, toolNamed, type Usual } from './usual-tools.js';

/** In names of options: what is run, loaded, taken for the configuration or the project, or written. */
const telling = new Set(
  (
    'exec execute executable cmd command commands shell script scripts eval evaluate program interpreter compiler wrapper ' +
    'launcher bin binary exe editor pager browser ssh rsh sendmail action hook hooks rulesdir actions driver agent ' +
    'plugin plugins addon addons require import imports preload loader loaders load inject middleware lib library libs ' +
    'config conf configuration rc rcfile ini settings init setup teardown override preset ' +
    'prefix cwd chdir dir dirs directory root rootdir outdir home kubeconfig renderer ' +
    'output out outfile outputfile dest destination logfile dump save store'
  ).split(' '),
);

/** A package or a name of theirs is usual, a file is not. */
const fileTelling = new Set(
  'reporter reporters format formatter runner environment transform transformer parser resolver processor sequencer template log'.split(
    ' ',
  ),
);

/** Short ones that load, run, write or go elsewhere in one tool or the other, alone or with others. */
const tellingShort = /^-[cerpoIC]|^-[A-Za-z]{1,2}[cerpoIC][A-Za-z]?$/;

const isFile = (value: string): boolean => /[\\/]|^\.|^~/.test(value);

/** Expanded by no shell to something else, such as an option. */
const isPlainWord = (word: string): boolean =>
  /^['"]?[\p{L}\p{N}_./~:+,#=@-]/u.test(word) && !/[$%]/.test(word.replace(/'[^']*'/g, ''));

const unquoted = (word: string): string => word.replace(/['"]/g, '');

/**
 * `words`: program and arguments as a shell splits them; the first `fixed` of them stand in the rule, and are the person's
 * own choice.
 */
export function hasOnlyUsual(words: readonly string[], fixed = 1): boolean {
  const [program = '', subcommand] = words.map(unquoted);
  const name = programName(program);
  if (readers.has(name)) return true;
  const tool = toolNamed(name);
  if (tool === undefined) return isLoose(words.slice(fixed));
  if (subcommand === undefined) return true;
  const named = tool.find(({ subcommands }) => subcommands.has(subcommand));
  const usual = named ?? tool.find(({ subcommands }) => subcommands.has('*'));
  if (usual === undefined) return false;
  const isTask = usual.rest === 'none' && !subcommand.startsWith('-');
  return isUsual(words.slice(Math.max(fixed, named !== undefined || isTask ? 2 : 1)), usual);
}

function isUsual(words: readonly string[], usual: Usual): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const option = unquoted(words[at] ?? '');
    const goesToScript = () => isLoose(words.slice(at));
    if (option === '--')
      return usual.rest.startsWith('script') ? isLoose(words.slice(at + 1)) : usual.rest === 'any';
    if (!option.startsWith('-')) {
      if (usual.rest === 'none' || !isPlainWord(words[at] ?? '')) return false;
      if (usual.rest === 'script after name' || usual.rest === 'script always') return goesToScript();
      continue;
    }
    const taken = takes(option, usual);
    if (taken === undefined) return usual.rest === 'script always' && goesToScript();
    // What was taken for its value, and is none, is an option that was not looked at.
    if (taken === 'next' && unquoted(words[(at += 1)] ?? '').startsWith('-')) return false;
  }
  return true;
}

/** Whether it is one of the options, with what it takes; undefined when it is not. */
function takes(option: string, { flags, valued }: Usual): 'nothing' | 'next' | undefined {
  const [name = ''] = option.split('=', 1);
  if (valued.has(name)) return name === option ? 'next' : 'nothing';
  if (flags.has(name) || flags.has(option)) return 'nothing';
  if (option.startsWith('--')) return undefined;
  if (flags.has('-0') && /^-\d+$/.test(option)) return 'nothing';
  const letters = option.slice(1);
  for (const [at, letter] of [...letters].entries()) {
    if (valued.has(`-${letter}`)) return at + 1 === letters.length ? 'next' : 'nothing';
    if (!flags.has(`-${letter}`)) return undefined;
  }
  return 'nothing';
}

/** Of what is not known, or of a script: all but what says that it does more than is usual. */
function isLoose(words: readonly string[]): boolean {
  return words.every((word, at) => {
    const given = unquoted(word);
    if (!given.startsWith('-')) return isPlainWord(word) && !/^@|^~|^\.\.|[\\/]\.\.([\\/]|$)/.test(given);
    if (!given.startsWith('--')) return !tellingShort.test(given) && !hasTelling(given);
    const [name = '', ...values] = given.split('=');
    if (hasTelling(name)) return false;
    const value = values.length > 0 ? values.join('=') : unquoted(words[at + 1] ?? '');
    return !(wordsOf(name).some((one) => fileTelling.has(one)) && isFile(value));
  });
}

/** `globalSetup`, `global-setup` and `global_setup` are the same words. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/=.*$/s, '')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);

const hasTelling = (name: string): boolean => wordsOf(name).some((one) => telling.has(one));
