/**
 * Of tools that can be told to run, load or write anything: the subcommands that a rule for their beginning may stand for,
 * and the options of these that change nothing of what is run, of where it is, and of what is written.
 */

import { checkers } from './usual-checkers.js';
import { usual, type Usual } from './usual.js';

/** Whatever they are given, they only read and print. */
export const readers: ReadonlySet<string> = new Set(
  (
    'ls dir cat head tail wc pwd echo printf stat du df diff cmp comm cut tr nl od hexdump strings grep egrep fgrep ' +
    'which whereis whoami id groups uname basename dirname realpath readlink md5sum sha1sum sha256sum cksum ps jq ' +
    'true false test uptime free nproc seq column'
  ).split(' '),
);

/** Without a value, of npm and those that are like it. */
const npmFlags =
  '--silent -s --quiet -q --verbose -d -dd -ddd --if-present --workspaces -ws --include-workspace-root --json --color --no-color ' +
  '--no-progress --offline --prefer-offline --no-audit --no-fund --ignore-scripts --legacy-peer-deps --force -f --production ' +
  '--foreground-scripts --no-save --package-lock-only --dry-run --frozen-lockfile --no-frozen-lockfile --immutable --prod -P ' +
  '--dev -D --no-optional --recursive -r --parallel --stream --aggregate-output --bail --no-bail --all -a --long -l --parseable ' +
  '--non-interactive --check-files --pure-lockfile --watch --coverage -u --updateSnapshot';
// An option that takes a value in one of them takes none in the other, and what follows it is a package to install there.
const npmOptions = `${npmFlags} --workspace= -w= --loglevel= --omit= --include= --depth= --audit-level=`;
const pnpmOptions = `${npmFlags} -w --workspace-root --filter= -F= --loglevel=`;
const bunOptions =
  '--silent --verbose --frozen-lockfile --production -p --no-save --no-cache --ignore-scripts --dry-run -f --force --no-progress';
const npmScripts = 'run run-script test t tst start stop restart';
const scriptNames = 'build lint format typecheck check dev watch preview e2e coverage';
const npmInstalls = 'install i ci clean-install install-test cit prune dedupe update upgrade up';
const npmReads =
  'ls list ll la outdated view info show why explain audit fund root whoami search help licenses';

const gradle = [
  usual(
    '*',
    '-i --info -d --debug -s --stacktrace -S --full-stacktrace -q --quiet -w --warn --console= --no-daemon --daemon --offline ' +
      '--parallel --no-parallel --build-cache --no-build-cache --rerun-tasks --rerun --continue --no-continue --dry-run -m ' +
      '--tests= --refresh-dependencies --configuration-cache --no-configuration-cache --configure-on-demand --max-workers= ' +
      '--warning-mode= --profile -x= --exclude-task= --fail-fast -t --continuous -v --version',
    'none',
    { isTasks: true },
  ),
];
const maven = [
  usual(
    'clean validate compile test test-compile package verify install site dependency:tree dependency:list help:effective-pom',
    '-q --quiet -e --errors -X --debug -B --batch-mode -o --offline -U --update-snapshots -nsu -T= --threads= -pl= --projects= ' +
      '-am --also-make -amd --also-make-dependents -ntp --no-transfer-progress -N --non-recursive -fae --fail-at-end -ff ' +
      '--fail-fast -fn --fail-never -V --show-version -C -c -rf= --resume-from= -DskipTests -DskipITs -Dtest -Dit.test ' +
      '-Dmaven.test.skip -DfailIfNoTests -Dsurefire.failIfNoSpecifiedTests -Dstyle.color',
    'none',
  ),
];
const docker = [
  usual('logs', '-f --follow -n= --tail= --since= --until= -t --timestamps --details'),
  usual(
    'ps images inspect stats top port version info history diff events search start stop restart pull',
    '-a --all -q --quiet --no-trunc --format= --filter= -n= --tail= --since= --until= -t --timestamps --follow --details --no-stream -s --size',
  ),
  usual(
    'build',
    '-t= --tag= --no-cache --pull --target= --progress= --platform= -q --quiet --build-arg= --rm --force-rm',
    'none',
  ),
];

const ghOptions =
  '--repo= -R= --json= --jq= -q= --limit= -L= --state= -s= --title= -t= --body= -b= --author= -A= --assignee= -a= --label= -l= ' +
  '--base= -B= --head= -H= --draft -d --comments --log --log-failed --job= -j= --squash --merge --rebase --fill --name-only ' +
  '--exit-status --required --watch --verbose -v --patch --color= --search= -S= --milestone= -m= --reviewer= -r=';

const gitOptions =
  '-0 -a --all -A -b= -B= -d -D -f --force -h --help -l -L= -m= -M -n= -N -p -P -q -r -R -S= -G= -t -u -U= -v -vv -w -W ' +
  '-x -X= -y -z -i -E -1 -2 --amend --no-edit --allow-empty --message= --author= --date= --signoff --fixup= --squash= ' +
  '--reuse-message= --patch --no-patch --stat --shortstat --numstat --dirstat --summary --name-only --name-status --raw ' +
  '--oneline --graph --decorate --no-decorate --abbrev-commit --abbrev --abbrev= --no-abbrev --pretty --format= --max-count= --skip= ' +
  '--since= --until= --after= --before= --committer= --grep= --regexp-ignore-case --invert-grep --all-match --follow --merges ' +
  '--no-merges --first-parent --reverse --topo-order --date-order --author-date-order --left-right --cherry-pick ' +
  '--cherry-mark --branches --tags --remotes --color --no-color --word-diff --color-words --unified= --minimal --patience ' +
  '--histogram --diff-algorithm= --diff-filter= --find-renames --find-copies --no-renames --ignore-all-space ' +
  '--ignore-space-change --ignore-blank-lines --ignore-space-at-eol --function-context --no-ext-diff --no-textconv ' +
  '--no-pager --cached --staged --check --exit-code --quiet --no-index --full-index --binary --relative --porcelain ' +
  '--porcelain= --short --long --branch --show-stash --untracked-files --ignored --ignore-submodules --column --no-column ' +
  '--verbose --dry-run --update --intent-to-add --renormalize --list --show-current --contains --no-contains --merged ' +
  '--no-merged --sort= --points-at= --delete --move --copy --track --no-track --set-upstream-to= --unset-upstream --create= ' +
  '--detach --orphan --ours --theirs --merge --source= --worktree --soft --mixed --hard --keep --no-ff --ff --ff-only ' +
  '--abort --continue --quit --no-commit --mainline= --keep-index --include-untracked --index --annotate --verify ' +
  '--abbrev-ref --show-toplevel --show-prefix --git-dir --is-inside-work-tree --symbolic-full-name --others --modified ' +
  '--exclude-standard --deleted --stage --full-name --error-unmatch --count --is-ancestor --fork-point --always --dirty ' +
  '--numbered --email --line-porcelain --cc --show-signature --pickaxe-all --pickaxe-regex --walk-reflogs --no-walk ' +
  '--ancestry-path --simplify-by-decoration --name-status --full-history --source --no-stat --compact-summary';

const tools: Readonly<Record<string, readonly Usual[]>> = {
  npm: [
    usual(npmScripts, npmOptions, 'script'),
    usual(npmInstalls, npmOptions, 'none'),
    usual(npmReads, npmOptions),
  ],
  pnpm: [
    usual('run run-script', pnpmOptions, 'script after name'),
    usual(`${npmScripts} ${scriptNames}`, pnpmOptions, 'script'),
    usual(npmInstalls, pnpmOptions, 'none'),
    usual(npmReads, `${pnpmOptions} --depth= --audit-level=`),
  ],
  yarn: [
    usual(`${npmScripts} ${scriptNames}`, npmFlags, 'script always'),
    usual('install check dedupe', npmFlags, 'none'),
    usual('list info why outdated audit', `${npmFlags} --depth=`),
  ],
  bun: [
    usual(
      'test',
      '--watch -t= --test-name-pattern= --bail --coverage --timeout= --only --todo -u --update-snapshots',
      'script',
    ),
    usual('install i ci outdated', bunOptions, 'none'),
  ],
  deno: [
    usual(
      'test',
      '--watch --filter= -q --quiet --fail-fast --parallel --no-check --check --doc --clean',
      'script',
    ),
    usual('fmt lint check', '--check --fix --watch -q --quiet --json --no-semicolons --single-quote --all'),
    usual('task', '-q --quiet', 'script after name'),
  ],
  git: [
    // `-c` makes a branch here; of others it takes an editor or a setting.
    usual(
      'switch',
      '-c= -C= --create= --force-create= -d --detach -f --force --discard-changes -t --track --guess --no-guess -q --quiet -m --merge --orphan=',
      'any',
      { isAnywhere: true },
    ),
    // `-s` is a strategy there, which is a program.
    usual('merge cherry-pick revert', gitOptions, 'any', { isAnywhere: true }),
    usual(
      'add blame branch cat-file checkout cherry clean commit count-objects describe diff diff-files diff-index ' +
        'diff-tree for-each-ref log ls-files ls-tree merge-base mv name-rev range-diff reflog reset restore rev-list ' +
        'rev-parse rm shortlog show show-branch show-ref stash status tag whatchanged check-ignore version',
      `${gitOptions} -s`,
      'any',
      { isAnywhere: true },
    ),
  ],
  // What changes something there is seen by others, so that only reading verbs are covered.
  gh: [
    usual('pr issue run repo release label workflow', ghOptions, 'any', {
      verbs: 'list ls view status diff checks watch',
      isAnywhere: true,
    }),
    usual('search status', ghOptions, 'any', { isAnywhere: true }),
  ],
  kubectl: [
    usual(
      'logs',
      '-f --follow -n= --namespace= -l= --selector= --tail= --since= --since-time= -p --previous -c= --container= ' +
        '--all-containers --timestamps --prefix --context=',
    ),
    usual(
      'get describe top explain api-resources api-versions version cluster-info events wait',
      '-n= --namespace= -A --all-namespaces -o= --output= -l= --selector= -w --watch --field-selector= --sort-by= --show-labels ' +
        '--no-headers --follow --tail= --since= --since-time= --previous -c= --container= --all-containers --timestamps --prefix ' +
        '--context= --for= --timeout= --recursive --chunk-size= --ignore-not-found --show-kind -L= --label-columns= --client',
    ),
    usual(
      'scale label annotate delete',
      '-n= --namespace= -l= --selector= --replicas= --context= --timeout= --dry-run=',
    ),
    usual('rollout', '-n= --namespace= -l= --selector= --context= --timeout= -w --watch', 'any', {
      verbs: 'status history',
    }),
  ],
  helm: [
    usual(
      'list ls status get lint template show history version search env',
      '-n= --namespace= -A --all-namespaces -o= --output= --all -a -q --short --revision= --set= --set-string= -f= --values= ' +
        '--version= --debug --kube-context= --devel --max= --strict --with-subcharts --show-only= -s= --include-crds --versions -l=',
    ),
  ],
  terraform: [
    usual(
      'plan validate fmt show output version graph',
      '-no-color -json -raw -input -lock -detailed-exitcode -check -diff -recursive -refresh -refresh-only -target -compact-warnings ' +
        '-destroy -parallelism -list -write -var',
    ),
  ],
  docker,
  podman: docker,
  go: [
    usual('fmt version doc', '-v -n -x -u -all -short -src'),
    usual('mod', '-v -x -json -e', 'any', { verbs: 'tidy verify graph why download' }),
  ],
  dotnet: [
    usual(
      'build test run restore clean format',
      '-c= --configuration= --verbosity= --no-build --no-restore --nologo --filter= --framework= --list-tests -t --no-incremental ' +
        '--blame --no-launch-profile --verify-no-changes --severity=',
      'none',
    ),
  ],
  pip: [
    usual(
      'list show freeze check',
      '-v -vv -q --format= --outdated -o --uptodate --user --local -l --files -f --not-required --exclude=',
    ),
  ],
  poetry: [
    usual(
      'install check lock show update sync',
      '--no-root --with= --without= --only= --sync --dry-run -n --no-interaction -v -vv -vvv -q --all-extras --no-update --tree -t --latest -l --outdated -o',
      'none',
    ),
  ],
  uv: [
    usual(
      'sync lock tree version',
      '--frozen --locked --dev --no-dev --all-extras --extra= --group= --all-groups -q --quiet -v --verbose --check --offline --depth= --upgrade -U',
      'none',
    ),
  ],
  composer: [
    usual(
      'install show validate outdated dump-autoload check-platform-reqs test lint',
      '--no-dev --no-interaction -n --optimize-autoloader -o --dry-run --no-scripts --no-plugins -q --quiet -v -vv -vvv --no-progress --prefer-dist --strict --direct -D --tree -t --latest -l',
      'none',
    ),
  ],
  bundle: [usual('install check list outdated info show', '--quiet --local --verbose --parseable', 'none')],
  apt: [usual('list show search policy', '--installed --upgradable -a -q')],
  brew: [usual('list info search outdated deps leaves', '--versions --formula --cask --json -v --verbose')],
  rustup: [usual('show check', '-v --verbose')],
  nx: [
    usual(
      'test build lint affected run-many graph show run typecheck e2e',
      '--watch --skip-nx-cache --verbose --parallel --coverage --all --projects= -p= --base= --head= -t= --target= --targets= --exclude= --codeCoverage',
      'script',
    ),
  ],
  turbo: [
    usual(
      'run build test lint typecheck',
      '--filter= -F= --force --dry --dry-run --parallel --concurrency= --output-logs= --no-cache --no-daemon --continue --only --affected --log-order= --ui=',
      'script',
    ),
  ],
  gradle,
  mvn: maven,
  mkdir: [usual('*', '-p -v --parents --verbose')],
  date: [usual('*', '-u -I -R --utc --iso-8601 --rfc-email', 'none')],
  arch: [usual('*', '', 'none')],
  ...checkers,
};

/** By other names: the same. */
const aliases: Readonly<Record<string, string>> = {
  gradlew: 'gradle',
  mvnw: 'mvn',
  pip3: 'pip',
  'py.test': 'pytest',
  'apt-get': 'apt',
  tofu: 'terraform',
  'vue-tsc': 'tsc',
};

export function toolNamed(name: string): readonly Usual[] | undefined {
  const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  return Object.hasOwn(tools, known) ? tools[known] : undefined;
}
