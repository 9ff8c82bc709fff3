/**
 * Arguments that a tool hands on to a script of the project, of which it is not known what they do: all but what says, or
 * may mean, that something else is run, loaded, taken for the configuration, or written.
 */
import type { Word } from './shell-words.js';

/** In names of options: what is run, loaded, taken for the configuration or the project, or written. */
const telling = new Set(
  (
    'exec execute executable cmd command commands shell script scripts eval evaluate program interpreter compiler wrapper ' +
    'launcher bin binary exe editor pager browser ssh rsh sendmail action hook hooks rulesdir actions driver agent ' +
    'plugin plugins addon addons require import imports preload loader loaders load inject middleware lib library libs ' +
    'config conf configuration rc rcfile yarnrc npmrc ini settings init setup teardown override preset ' +
    'prefix cwd chdir dir dirs directory root rootdir outdir home kubeconfig renderer ' +
    'output out outfile outputfile dest destination logfile dump save store'
  ).split(' '),
);

/** Such a word is in their names, and yet they do none of that. */
const harmless = new Set('--emptyOutDir --output-on-failure --output-format --output-logs'.split(' '));

/** What has one of these names may be loaded from a file, of whatever name. */
const fileTelling = new Set(
  'reporter reporters format formatter runner environment transform transformer parser resolver processor sequencer template log'.split(
    ' ',
  ),
);

/** The values of those which come with the tools. */
const builtin = new Set(
  (
    'verbose default dot json junit tap tap-flat spec list line basic min nyan progress html github github-actions ' +
    'hanging-process stylish compact unix text sarif full concise grouped documentation node jsdom happy-dom'
  ).split(' '),
);

/** Long options without a value: what follows them is none. */
const alone = new Set(
  (
    '--coverage --run --watch --verbose --silent --quiet --ci --fix --bail --color --colors --headed --update ' +
    '--updateSnapshot --check --write --passWithNoTests --runInBand --emptyOutDir --output-on-failure'
  ).split(' '),
);

/** What they are given only chooses among what is there, and is a path at times. */
const choosing = new Set(
  '--ext --exclude --ignore --filter --grep --project --testPathPattern --testPathPatterns --testNamePattern --findRelatedTests'.split(
    ' ',
  ),
);

/** Short ones that load, run, write or go elsewhere in one tool or the other, alone or with others. */
const tellingShort = /^-[cerpoICRf]|^-[A-Za-z]{1,2}[cerpoICRf][A-Za-z]?$/;

/** `./a`, `a/b`, `a.js`. */
const isFile = (value: string): boolean => /[\\/]|^\.|^~|\.[A-Za-z]\w*$/.test(value);

/** Out of the folder, or an address. */
export const isAway = (value: string): boolean =>
  /^[~/]|^[A-Za-z]:[\\/]|(^|[\\/=:,])\.\.([\\/]|$)|:\/\//.test(value);

/** No option, list of arguments or name of another kind, whatever files there are. */
export const isPlain = ({ text, glob }: Word): boolean =>
  glob !== 0 && /^[\p{L}\p{N}_./~:+,#=@-]/u.test(text);

export function isLoose(words: readonly Word[]): boolean {
  return words.every((word, at) => {
    const { text } = word;
    const next = words[at + 1]?.text ?? '';
    if (!text.startsWith('-')) return isPlain(word) && !text.startsWith('@') && !isAway(text);
    const [name = '', ...values] = text.split('=');
    // Of what a shell may put there, it is certain which option it is.
    if (word.glob !== -1 && (values.length === 0 || word.glob < name.length)) return false;
    if (!text.startsWith('--'))
      return !tellingShort.test(text) && !hasTelling(text) && !isFile(text) && !isFile(next);
    if (text === '--') return true;
    if (hasTelling(name) && !harmless.has(name)) return false;
    const value = values.length > 0 ? values.join('=') : next;
    if (wordsOf(name).some((one) => fileTelling.has(one)) && !harmless.has(name)) return builtin.has(value);
    if (isAway(value)) return false;
    const takesNone = values.length === 0 && (alone.has(name) || name.startsWith('--no-'));
    return takesNone || choosing.has(name) || !isFile(value);
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
