/**
 * Programs and variables by which a command runs, or destroys, whatever it is given: a rule for all commands that begin
 * with one of them would be a rule for everything.
 */

/** Names without an ending or a version. */
const programs = new Set(
  (
    'sh ash bash dash zsh ksh csh tcsh fish nu elvish xonsh cmd powershell pwsh busybox toybox ' +
    'node nodejs tsx ts-node python pypy ipython perl ruby irb php lua luajit tclsh wish expect java jshell groovy ' +
    'rscript julia octave elixir iex erl runghc osascript wscript cscript mshta rundll regsvr sqlite awk gawk mawk nawk ' +
    'sed gsed ed ex vi vim nvim emacs ' +
    'npx pnpx bunx uvx pipx cross-env env-cmd dotenv nodemon concurrently direnv mise asdf ' +
    'env eval exec command builtin source . coproc trap alias start call time timeout nice ionice chrt taskset nohup setsid ' +
    'stdbuf unbuffer script watch entr xargs parallel find chroot unshare nsenter firejail strace ltrace gdb lldb valgrind ' +
    'sudo doas su ssh scp sftp rsync nc ncat netcat socat telnet curl wget tar ' +
    'make gmake bmake nmake remake mingw32-make just rake cargo gtar bsdtar cpio zip ' +
    'less more most man view vimdiff gvim nano bat rg ack ag fd fdfind sort split ' +
    'crontab at batch systemctl systemd-run launchctl ' +
    'rm rmdir mv cp ln link rename copy xcopy robocopy move del erase rd dd mkfs shred unlink truncate tee install kill chmod chown ' +
    'patch unzip 7z open xdg-open hyperfine dotenvx doppler aws-vault ansible ansible-playbook vagrant docker-compose podman-compose ' +
    'flock pkexec setpriv bwrap runuser runcon setarch linux prlimit cgexec tmux screen corepack watchexec ' +
    'watchman bazel bazelisk buck zig dart nix nix-shell nix-build guix chpst catchsegv'
  ).split(' '),
);

/** Of programs whose first argument says what they do, what runs something else, be it by an option that is a command. */
const subcommands: Readonly<Record<string, string>> = {
  npm: 'exec x explore init create',
  pnpm: 'exec dlx create',
  yarn: 'exec dlx create node',
  bun: 'x run create exec',
  conda: 'run',
  mamba: 'run',
  micromamba: 'run',
  pipenv: 'run shell',
  hatch: 'run shell env',
  pdm: 'run',
  pixi: 'run exec shell',
  rye: 'run',
  lerna: 'exec run',
  volta: 'run',
  nvm: 'exec run',
  fnm: 'exec',
  rbenv: 'exec',
  pyenv: 'exec',
  stack: 'exec run runghc script',
  cabal: 'exec run',
  mix: 'eval run cmd',
  heroku: 'run local',
  fly: 'ssh',
  deno: 'run eval serve repl x',
  docker: 'run exec compose',
  podman: 'run exec compose',
  kubectl: 'run exec debug',
  uv: 'run tool x',
  poetry: 'run',
  bundle: 'exec',
  composer: 'exec',
  rustup: 'run',
  nx: 'exec',
  go: 'run generate tool test vet build install list get clean env fix',
  dotnet: 'exec fsi',
  gh: 'alias extension',
  git:
    'config rebase bisect submodule filter-branch filter-repo difftool mergetool grep fetch pull push clone ls-remote ' +
    'archive send-email send-pack fetch-pack imap-send remote-ext init hook for-each-repo merge-index web--browse ' +
    'instaweb cvsimport svn p4 daemon shell',
};

/** Where programs, libraries, start-up files and helpers of other programs are looked for. */
const variables =
  /^(path|pathext|ifs|env|bash_env|shell|comspec|prompt_command|ps4|home|xdg_config_home|editor|visual|browser|\w*pager|less(open|close)|\w*askpass|ld_\w+|dyld_\w+|node_(options|path)|python\w+|perl\w+|ruby(lib|opt)|gem_\w+|bundle_\w+|php(rc|_ini_scan_dir)|\w*java_(tool_)?options|(gnu)?makef(lags|iles)|git_\w+|npm_config_\w+|yarn_\w+|cargo_\w+|rustc\w*|rustdoc\w*|rustflags|go(flags|path|root|tooldir)|(maven|gradle|kubectl|helm|tf|pytest)_\w+|\w+_home|cc|cxx|ld|ar|docker_host|kubeconfig|dotnet_\w+|coreclr_\w+)$/i;

/** `python3.12.exe` is python. */
export const programName = (program: string): string => {
  const name = program
    .slice(program.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com)$/, '');
  return name.replace(/(?<=\w)-?\d[\d.]*$/, '');
};

/** An option in place of the subcommand hides what that is, and `git -c` makes anything run by itself. */
export const runsAnything = (program: string, subcommand = ''): boolean => {
  const name = programName(program);
  if (programs.has(name)) return true;
  if (subcommand === '' || !Object.hasOwn(subcommands, name)) return false;
  return subcommand.startsWith('-') || (subcommands[name] ?? '').split(' ').includes(subcommand);
};

export const makesAnythingRun = (variable: string): boolean => variables.test(variable);
