/**
 * Compilers, linters, formatters and runners of tests: they are given files of the project, and load what its configuration
 * says. What makes them load, or write, something else is not among the options here.
 */
import { usual, type Usual } from './usual.js';

const vitest =
  '--run -u --update -w --watch --coverage --project= -t= --testNamePattern= --bail= --silent --no-color --color ' +
  '--passWithNoTests --changed --shard= --retry= --testTimeout= --hookTimeout= --maxWorkers= --no-file-parallelism ' +
  '--logHeapUsage --typecheck --hideSkippedTests --allowOnly --no-isolate --printConsoleTrace ' +
  '--pool=forks --pool=threads --pool=vmThreads --environment=node --environment=jsdom --environment=happy-dom ' +
  '--reporter=default --reporter=verbose --reporter=dot --reporter=json --reporter=junit --reporter=tap ' +
  '--reporter=tap-flat --reporter=basic --reporter=tree --reporter=hanging-process --reporter=github-actions';

export const checkers: Readonly<Record<string, readonly Usual[]>> = {
  tsc: [
    usual(
      '*',
      '-p= --project= --noEmit -b --build -w --watch --pretty --strict --skipLibCheck --listFiles --listFilesOnly --showConfig ' +
        '--incremental --noErrorTruncation --traceResolution --diagnostics --extendedDiagnostics -v --version --noUnusedLocals ' +
        '--noUnusedParameters --target= -t= --module= -m= --jsx= --lib= --explainFiles --preserveWatchOutput -d --dry -f --force --verbose',
    ),
  ],
  eslint: [
    usual(
      '*',
      '--fix --fix-dry-run --ext= --max-warnings= --quiet --cache --no-cache --color --no-color --ignore-pattern= --no-ignore ' +
        '--no-error-on-unmatched-pattern --no-warn-ignored --report-unused-disable-directives --no-inline-config ' +
        '--pass-on-no-patterns --stats --debug -v --version -f=stylish -f=json -f=html --format=stylish --format=json ' +
        '--format=html',
    ),
  ],
  prettier: [
    usual(
      '*',
      '--write -w --check -c --list-different -l --log-level= --ignore-unknown -u --no-error-on-unmatched-pattern ' +
        '--single-quote --no-semi --tab-width= --print-width= --trailing-comma= --prose-wrap= --end-of-line= --no-color ' +
        '--color --cache --no-editorconfig --no-config -v --version',
    ),
  ],
  stylelint: [
    usual(
      '*',
      '--fix -q --quiet --cache --allow-empty-input --color --no-color --max-warnings= -f=string -f=json -f=compact --version',
    ),
  ],
  'svelte-check': [
    usual(
      '*',
      '--fail-on-warnings --threshold= --output=human --output=human-verbose --output=machine --watch --no-tsconfig --version',
      'none',
    ),
  ],
  oxlint: [usual('*', '--fix --quiet -D= -W= -A= --deny-warnings --max-warnings= --version')],
  biome: [
    usual(
      'check lint format ci',
      '--write --fix --unsafe --diagnostic-level= --max-diagnostics= --no-errors-on-unmatched --error-on-warnings ' +
        '--verbose --changed --staged --since=',
    ),
  ],
  vitest: [usual('run watch related list', vitest)],
  jest: [
    usual(
      '*',
      '--coverage --watch --watchAll --ci -i --runInBand -u --updateSnapshot --verbose --silent -b --bail --passWithNoTests -o ' +
        '--onlyChanged --onlyFailures --detectOpenHandles --forceExit --no-cache --noStackTrace --color --no-color --colors ' +
        '--findRelatedTests --listTests --runTestsByPath --errorOnDeprecated -t= --testNamePattern= --testPathPattern= ' +
        '--testPathPatterns= -w= --maxWorkers= --testTimeout= --shard= --selectProjects= --changedSince= --version',
    ),
  ],
  mocha: [
    usual('init', '', 'none'),
    usual(
      '*',
      '-w --watch -b --bail -g= --grep= -f= --fgrep= -t= --timeout= -s= --slow= --recursive --exit -p --parallel -j= --jobs= ' +
        '--forbid-only --forbid-pending -c --color -C --no-color --check-leaks --full-trace --inline-diffs -i --invert ' +
        '--retries= --dry-run -A --async-only --allow-uncaught -R=spec -R=dot -R=min -R=list -R=tap -R=json --reporter=spec ' +
        '--reporter=dot --reporter=min --reporter=list --reporter=tap --reporter=json --version',
    ),
  ],
  playwright: [
    usual(
      'test',
      '--headed --list --project= -g= --grep= --grep-invert= -j= --workers= --retries= --timeout= -x --max-failures= --quiet ' +
        '-u --update-snapshots --last-failed --repeat-each= --shard= --forbid-only --fully-parallel --pass-with-no-tests ' +
        '--reporter=list --reporter=line --reporter=dot --reporter=json --reporter=junit --reporter=github',
    ),
  ],
  vite: [
    usual(
      'build dev serve preview',
      '-m= --mode= --minify --sourcemap -w --watch --emptyOutDir --clearScreen --logLevel= -l= --port= --strictPort --force ' +
        '--manifest --ssrManifest --target=',
      'none',
    ),
  ],
  pytest: [
    usual(
      '*',
      '-x -v -vv -vvv -q -qq -s -l -k= -m= -n= -r= -rA -ra --maxfail= --exitfirst --lf --last-failed --ff --failed-first --nf --sw ' +
        '--stepwise --tb= --durations= --collect-only --co --no-header --no-summary --verbose --quiet --color= --capture= --cov= ' +
        '--cov-report=term --cov-report=term-missing --no-cov --deselect= --ignore= --showlocals --disable-warnings --timeout= ' +
        '-p=no:* -W=error -W=ignore -W=default -W=always -W=ignore::DeprecationWarning -W=error::DeprecationWarning ' +
        '--strict-markers --pdb --version',
    ),
  ],
  ruff: [
    usual(
      'check format',
      '--fix --no-fix --unsafe-fixes --diff --check --output-format= --select= --ignore= --extend-select= --extend-ignore= -q ' +
        '--quiet -v --verbose -w --watch -n --no-cache --statistics --show-fixes --preview --no-preview --exclude= ' +
        '--line-length= --target-version= -e --exit-zero --exit-non-zero-on-fix --force-exclude --show-files',
    ),
  ],
  black: [
    usual(
      '*',
      '--check --diff -q --quiet -v --verbose --color --no-color -l= --line-length= -t= --target-version= -S --preview --version',
    ),
  ],
  mypy: [
    usual(
      '*',
      '--strict --ignore-missing-imports --show-error-codes --no-error-summary --pretty --no-incremental ' +
        '--check-untyped-defs --follow-imports= --python-version= -v -V --version --no-color-output --show-column-numbers ' +
        '--explicit-package-bases --namespace-packages --warn-unused-ignores',
    ),
  ],
  flake8: [
    usual(
      '*',
      '--max-line-length= --select= --ignore= --extend-ignore= --exclude= --count --statistics --show-source -q -v ' +
        '--max-complexity= -j= --jobs= --version',
    ),
  ],
  rspec: [
    usual(
      '*',
      '--fail-fast -b --backtrace --color --no-color --dry-run -e= --example= --only-failures -n --next-failure --seed= -t= ' +
        '--tag= -w --warnings -f=documentation -f=progress -f=json -f=d -f=p -f=j --format=documentation --format=progress ' +
        '--format=json --version',
    ),
  ],
  phpunit: [
    usual(
      '*',
      '--filter= --testsuite= --group= --exclude-group= --stop-on-failure --stop-on-error --testdox --colors --colors=always ' +
        '--colors=never --no-coverage --debug --verbose -v --list-tests --no-progress --version',
    ),
  ],
  ctest: [
    usual(
      '*',
      '--output-on-failure -V -VV --verbose -R= -E= -L= -LE= -j= --parallel= --rerun-failed -N --stop-on-failure --timeout= -Q ' +
        '--quiet --no-tests=error --schedule-random --progress -C= --version',
      'none',
    ),
  ],
  shellcheck: [
    usual('*', '-s= --shell= -S= --severity= -f= --format= -e= --exclude= -i= --include= -a -x --color= -V'),
  ],
  'golangci-lint': [
    usual('run', '--fix -v --verbose --timeout= --new --fast -D= --disable= -E= --enable= --enable-all'),
  ],
  gofmt: [usual('*', '-l -w -d -s -e')],
  rustfmt: [usual('*', '--check -l -v --verbose -q --quiet --edition=')],
  psql: [
    usual(
      '*',
      '-h= --host= -p= --port= -U= --username= -d= --dbname= -l --list -w --no-password -W -x --expanded -t --tuples-only -A -q ' +
        '-X --no-psqlrc -n -e -a -E -V --version',
    ),
  ],
};
