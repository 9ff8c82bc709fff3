/**
 * Files that make something run on this computer by what stands in them: hooks, tasks, settings of editors and package
 * managers, shells' start-up files, secrets that are read into them. A mode that accepts edits asks about them all the
 * same, as VS Code's own chat does by default (package.json, lock files and project files among them): a change there is
 * a command that runs later, without a card. A rule that the person gave for such a file still counts.
 */

/** By any folder of the path. */
const folders = new Set([
  '.git',
  '.vscode',
  '.idea',
  '.husky',
  '.devcontainer',
  '.fleet',
  '.zed',
  '.claude',
  '.cursor',
  '.yarn',
  '.cargo',
  'node_modules',
]);

/** By the name of the file. */
const files = new Set([
  '.gitattributes',
  '.gitconfig',
  '.gitmodules',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  'bunfig.toml',
  '.env',
  '.envrc',
  '.mcp.json',
  '.bashrc',
  '.bash_profile',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.ripgreprc',
  '.lefthook.yml',
  'lefthook.yml',
  '.pre-commit-config.yaml',
  'package.json',
  'build.rs',
  'web.config',
  'server.xml',
  'sitecustomize.py',
  'conftest.py',
  '.mise.toml',
  'mise.toml',
]);

const patterns: readonly RegExp[] = [
  /\.code-workspace$/,
  /\.(cs|fs|vb|vcx)?proj$/,
  /\.(targets|props)$/,
  /\.lock$/,
  /-lock\.(json|ya?ml)$/,
  /^\.env\./,
  // The short name that Windows gives to .git.
  /^git~\d+$/,
];

/** File systems that are not strict take these for the same name: capitals, dots and spaces at the end, streams, marks that are not seen. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();

export function makesThingsRun(path: string): boolean {
  const names = path.split(/[/\\]/).map(plain);
  const file = names.at(-1) ?? '';
  const isKnown = files.has(file) || patterns.some((pattern) => names.some((name) => pattern.test(name)));
  return isKnown || names.some((name) => folders.has(name));
}
