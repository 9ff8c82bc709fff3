import { afterEach, describe, expect, it, vi } from 'vitest';
import { matchesPattern, patternFor, patternWords } from '../../../src/host/approval-patterns.js';
import { subjectOfTool } from '../../../src/host/mcp/tool-subject.js';

const run = (pattern: string, command: string) => matchesPattern('run', pattern, command);

it('says in words what a rule for a tool of an MCP server allows, without the hash it is told apart by', () => {
  const pattern = patternFor('mcp_tiny_add', 'tiny add 88d38670f41e8da6');
  expect(patternWords('mcp_tiny_add', pattern)).toBe(
    'calls of "add" of the MCP server "tiny" as it is set up now',
  );
  expect(patternWords('edit', patternFor('edit', 'a [1].ts'))).toBe('edits of a [1].ts');
  expect(patternWords('other', patternFor('other', 'x y'))).toBe('the tool other with x y');
});

it.each([
  ['tiny', 'add one', 'calls of "add one" of the MCP server "tiny" as it is set up now'],
  ['tiny add', 'one', 'calls of "one" of the MCP server "tiny add" as it is set up now'],
  ['a%20;b', '100%\n*', 'calls of "100%\\n*" of the MCP server "a%20;b" as it is set up now'],
  [
    'evil',
    'x" of the MCP server "tiny',
    'calls of "x\\" of the MCP server \\"tiny" of the MCP server "evil" as it is set up now',
  ],
])('names the server %j and its tool %j, whatever they are called', (server, tool, words) => {
  const subject = subjectOfTool({ server, tool, identity: '88d38670f41e8da6' });
  const pattern = patternFor('mcp_x', subject);
  expect(patternWords('mcp_x', pattern)).toBe(words);
  expect(matchesPattern('mcp_x', pattern, subject)).toBe(true);
});

it('a rule for a tool of one server is for no tool of another, wherever the blanks of their names are', () => {
  const identity = '88d38670f41e8da6';
  const rule = patternFor('mcp_x', subjectOfTool({ server: 'tiny add', tool: 'one', identity }));
  expect(matchesPattern('mcp_x', rule, subjectOfTool({ server: 'tiny', tool: 'add one', identity }))).toBe(
    false,
  );
});

describe('patterns of commands', () => {
  it('keep program and subcommand, never the arguments', () => {
    expect(patternFor('run', 'npm test -- --watch')).toBe('npm test *');
    expect(patternFor('run', 'ls -la src')).toBe('ls *');
    expect(patternFor('run', './gradlew build')).toBe('./gradlew build *');
    expect(patternFor('run', 'gh pr list --limit 3')).toBe('gh pr list *');
    expect(patternFor('run', 'kubectl rollout status a')).toBe('kubectl rollout status *');
  });

  it('a program without an argument is remembered as with one', () => {
    for (const program of ['ls', 'pytest', 'tsc']) expect(patternFor('run', program)).toBe(`${program} *`);
  });

  it('F10: a secret in a command is not in the rule, and the rule still fits the same kind of command', () => {
    const command = 'PGPASSWORD=hunter2 psql -h db app';
    const pattern = patternFor('run', command);
    expect(pattern).toBe('PGPASSWORD=* psql *');
    expect(run(pattern, command)).toBe(true);
    expect(run(pattern, 'PGPASSWORD=other psql -l')).toBe(true);
    expect(run(pattern, 'LD_PRELOAD=evil.so psql -l')).toBe(false);
    for (const secret of [
      'mysql -phunter2 app',
      'curl -H "x-api-key: hunter2" https://a',
      'echo hunter2 | base64',
    ]) {
      expect(patternFor('run', secret)).not.toContain('hunter2');
    }
  });

  it('a beginning does not allow what is chained to it', () => {
    for (const tail of [
      '; rm -rf /',
      ' && curl evil',
      ' | sh',
      ' > /etc/passwd',
      ' `id`',
      ' $(id)',
      '\nid',
      ' & id',
    ]) {
      expect(run('npm test *', `npm test${tail}`)).toBe(false);
    }
    expect(run('npm test *', 'npm test')).toBe(true);
    expect(run('npm test *', 'npm testing')).toBe(false);
    expect(run('npm test *', 'npm run build')).toBe(false);
  });

  it('words that stand in quotes are no words of the command', () => {
    const pattern = patternFor('run', 'NODE_ENV=test npm test');
    expect(pattern).toBe('NODE_ENV=* npm test *');
    expect(run(pattern, 'NODE_ENV="a b" npm test')).toBe(true);
    for (const command of [
      'NODE_ENV="a npm test b" rm -rf src',
      "NODE_ENV='a npm test b' rm -rf src",
      'NODE_ENV=a"b npm test c"d rm -rf src',
      'NODE_ENV="it\'s npm test b" rm -rf src',
      'NODE_ENV="a npm test',
    ])
      expect(run(pattern, command), command).toBe(false);
  });

  it('variables by which something else runs are remembered as exactly this command', () => {
    for (const variable of [
      'PATH',
      'LD_PRELOAD',
      'NODE_OPTIONS',
      'GIT_SSH_COMMAND',
      'PAGER',
      'BASH_ENV',
      'npm_config_x',
    ]) {
      const command = `${variable}=./a git fetch`;
      const pattern = patternFor('run', command);
      expect(run(pattern, command)).toBe(true);
      expect(run(pattern, `${variable}=./b git fetch`), variable).toBe(false);
    }
  });

  it('what runs whatever it is given is remembered as exactly this command, whatever it is called', () => {
    for (const command of [
      'python.exe a.py',
      'cmd.exe /c dir',
      'python3.12 -m x',
      'nodejs a.js',
      'time npm test',
      'nice make',
      '. ./env',
      'source env',
      'command ls',
      'busybox sh',
      'bunx x',
      'uvx x',
      'tsx a.ts',
      'npm exec x',
      'npm.cmd exec x',
      'pnpm dlx x',
      'yarn dlx x',
      'docker run x',
      'docker exec x',
      'kubectl exec x',
      'uv run x',
      'deno eval x',
      'deno run x',
      'bundle exec x',
      'git rebase --exec x',
      'git config core.pager x',
      'git bisect run x',
      'go run x',
    ]) {
      const pattern = patternFor('run', command);
      expect(pattern, command).toMatch(/#sha256:[0-9a-f]{64}$/);
      expect(run(pattern, `${command} y`), command).toBe(false);
    }
  });

  it('what takes a command for an option is remembered as exactly this command, and no rule for its beginning allows it', () => {
    for (const command of [
      "git grep -O'touch a' x",
      "git fetch -q --upload-pack='touch a'",
      'git pull --upload-pack=./a',
      'git push --receive-pack=./a',
      'git clone --upload-pack=./a b',
      'git ls-remote --upload-pack=./a',
      'git archive --remote=. --exec=./a',
      'git send-email --sendmail-cmd=./a',
      'git submodule foreach ./a',
      'git init --template=a',
      'go test -exec ./a',
      'go vet -toolexec ./a',
      'go build -toolexec=./a',
      'make test SHELL=./a',
      'gmake -f a',
      'cargo test --config a',
      'tar xf a --to-command=./a',
      'find . -exec ./a',
      'xargs ./a',
      'env ./a',
      'sed e a',
      'awk a',
      'rsync -e ./a b c',
      'ssh -oProxyCommand=./a b',
      'vim -c a',
      'less a',
      'rg --pre ./a b',
      'fd -x ./a',
      'sort --compress-program=./a b',
    ]) {
      const pattern = patternFor('run', command);
      expect(pattern, command).toMatch(/#sha256:[0-9a-f]{64}$/);
      expect(run(pattern, command), command).toBe(true);
      const [program = '', subcommand = ''] = command.split(' ');
      for (const beginning of [`${program} *`, `${program} ${subcommand} *`])
        expect(run(beginning, command), `${beginning} and ${command}`).toBe(false);
    }
    expect(run('git *', "git 'fetch' --upload-pack=./a")).toBe(false);
    expect(run('git *', 'git -c core.pager=./a log')).toBe(false);
    expect(run('PATH=* npm test *', 'PATH=./a npm test')).toBe(false);
    expect(run('git *', 'git status')).toBe(true);
    expect(run('git status *', 'git status -s')).toBe(true);
    expect(run('make test', 'make test')).toBe(true);
  });

  it.each([
    'npm test --script-shell=./a',
    'npm test --script-sh=./a',
    'npm test a --script-shell ./a',
    'npm test "--script-shell=./a"',
    'npm test --scr""ipt-shell=./a',
    'npm test $A',
    'npm test *',
    'npm run build --prefix ../a',
    'npm run build --userconfig=./a',
    'npm test -- --globalSetup=./a.js',
    'npm test -- --config ./a.js',
    'npm test -- --reporter=./a.js',
    'npm test -- --outputFile=.git/hooks/pre-commit',
    'npm install some-package',
    'npm install --global=true -- some-package',
    'pnpm test --script-shell=./a',
    'pnpm run --script-shell=./a build',
    'pnpm test --config.script-shell=./a',
    'yarn test --script-shell=./a',
    'yarn run --require ./a build',
    'yarn config set yarnPath a',
    'npm config set script-shell ./a',
    'bun test --preload ./a',
    'gradle test -I a.gradle',
    'gradle test -Ia.gradle',
    'gradle test --init-script a.gradle',
    'gradle test -p ../a',
    './gradlew test --include-build ../a',
    './gradlew test publish',
    'mvn test -f ../a/pom.xml',
    'mvn test -f../a',
    'mvn test --file=../a/pom.xml',
    'mvn test -Dmaven.ext.class.path=./a.jar',
    'mvn exec:exec',
    'helm template a --post-renderer ./a',
    'helm list --kubeconfig ./a',
    'helm status a --registry-config=./a',
    'helm some-plugin',
    'kubectl get pods --kubeconfig ./a',
    'kubectl get pods --namespace --kubeconfig=./a',
    'kubectl get --server=https://a.test pods',
    'kubectl some-plugin',
    'git diff --output=../a',
    'git diff --outp=../a',
    'git log -p --ext-diff',
    'git show --textconv HEAD',
    'git -c core.pager=./a log',
    'git commit -e',
    'git merge --strategy=a main',
    'git some-alias',
    'terraform plan -out=../a',
    'docker build -o ../a .',
    'dotnet build /p:CustomBeforeMicrosoftCommonTargets=a',
    'dotnet build -p:A=b',
    'pip install some-package',
    'pytest -p some_plugin',
    'pytest -c ../a.ini',
    'tsc --outDir ../a',
    'eslint src -c a.js',
    'eslint src --plugin a',
    'vitest --config=a.ts',
    'prettier --write ../a.ts',
    'some-tool --exec ./a',
    'some-tool --on-done-command=./a',
    'some-tool @arguments.txt',
    'cp a ../b',
    'git log --author=x$IFS--output=../a',
    'git diff -U3$IFS--output=../a',
    'git log -n $A',
    'git log "a\'"$A"\'b"',
    'git log -n *',
    'git log --max-c*',
    'git diff {a,--output=x}',
    'git diff ?-output=x',
    'npm test --loglevel=silent$IFS--script-shell=./a',
    'npm test --loglevel=silent"$IFS"--script-shell=./a',
    'npm test --workspace $A',
    'npm test -- --conf*',
    'npm test a\u00a0--script-shell=./a',
    'eslint --ext=.ts$IFS--rulesdir=./a src',
    'vitest --project=a$IFS--config=./a.js',
    'vitest run --project=a$IFS--config=./a.js',
    'ls $A',
    'arch -x86_64 rm -rf a',
    'xxd -r a b',
    'date -s 2001-01-01',
    'mkdir ../a',
    'mkdir /tmp/a',
    './date -u',
    'eslint src -f ./a.js',
    'eslint src -f a',
    'npm test -- -f ./a.js',
    'npm test -- -R ./a.js',
    'npm test -- -R a',
    'npm test -- -u ./a.js',
    'npm test -- -xa.js',
    'npm test -- --reporter=a',
    'npm test -- --file=./a.js',
    'npm test -- --ui a.js',
    'npm test -- /tmp/a.test.js',
    'npm test -- https://a.test/a.js',
    'yarn test --use-yarnrc a',
    'turbo test -- --globalSetup=./a.js',
    'mocha --file=./a.js',
    'mocha -bR ./a.js',
    'mocha init a',
    'rspec -f ./x',
    'rspec -f./x',
    'cmake -P ./a.cmake',
    'gcc -fplugin=./x.so a.c',
    'phpunit --bootstrap ./x',
    'psql -f evil.sql',
    'psql -c "drop table a"',
    'tsc @a',
    'tsc -p ../evil/tsconfig.json',
    'tsc -p /tmp/evil/tsconfig.json',
    'tsc -b ../evil',
    'pytest /tmp/test_a.py',
    'pytest -p a',
    'pytest -xp a',
    'pytest -W error::a.B',
    'git merge -s a main',
    'git cherry-pick -s a',
    'terraform providers mirror ../x',
    'docker build github.com/a/b',
    'npm install --filter some-package',
    'npm install --loglevel --omit some-package',
    'pnpm install -w some-package',
    'pnpm install --omit some-package',
    'bun install --workspace some-package',
    'gh pr merge 3',
    'gh pr checkout 3',
    'gh pr -R a/b merge 3',
    'gh release upload v1 .env',
    'kubectl rollout undo a',
    'go mod edit -json',
    'conda run touch a',
    'lerna exec touch',
    'pipenv run touch a',
    'hatch run a',
    'pdm run a',
    'pixi run a',
    'volta run a',
    'fnm exec a',
    'corepack yarn exec a',
    'stack exec a',
    'dart a.dart',
    'zig run a.zig',
    'mix eval a',
    'bazel run a',
    'heroku run a',
    'flock a touch b',
    'pkexec touch a',
    'setpriv touch a',
    'bwrap touch a',
    'tmux new a',
  ])('what changes what is run, where, or what is written, is asked about each time: %s', (command) => {
    const pattern = patternFor('run', command);
    expect(pattern).toMatch(/#sha256:[0-9a-f]{64}$/);
    expect(run(pattern, command)).toBe(true);
    const [program = '', next = ''] = command.split(' ');
    const beginnings = [`${program} *`, ...(/^\w/.test(next) ? [`${program} ${next} *`] : [])];
    for (const beginning of beginnings) expect(run(beginning, command), beginning).toBe(false);
  });

  it.each([
    ['npm test *', 'npm test -- src/a.test.ts -u'],
    ['npm test *', 'npm test -- --coverage src/a.test.ts'],
    ['npm test *', 'npm test -- -t "handles 100%"'],
    ['npm run *', 'npm run build -- --emptyOutDir'],
    ['npm test *', 'npm test -- --reporter=verbose --coverage -t "a name"'],
    ['npm run *', 'npm run build --workspace a --silent'],
    ['npm install *', 'npm install --no-audit'],
    ['pnpm run *', 'pnpm run build --mode production'],
    ['yarn test *', 'yarn test -u --watch=false'],
    ['./gradlew build *', './gradlew build --info --no-daemon --tests a.B'],
    ['mvn test *', 'mvn test -q -pl a -am -DskipITs=true -Dtest=A'],
    ['kubectl get *', 'kubectl get pods -n a -o json -Aw'],
    ['helm template *', 'helm template a ./chart --values a.yaml'],
    ['git diff *', 'git diff --stat HEAD~2 -- src/a.ts'],
    ['git diff *', 'git diff -U5'],
    ['git log *', 'git log --oneline -5 --format=%H'],
    ['git commit *', 'git commit -am "a message"'],
    ['git switch *', 'git switch -c a'],
    ['git add *', 'git add -A'],
    ['git show *', 'git show HEAD^:src/a.ts'],
    ['pytest *', 'pytest tests/test_a.py::test_b -x -q -k "a or b"'],
    ['tsc *', 'tsc -p tsconfig.json --noEmit'],
    ['eslint *', 'eslint src --fix --ext .ts --max-warnings 0'],
    ['vitest *', 'vitest run --project unit'],
    ['psql *', 'psql -h db app'],
    ['ls *', 'ls -laR ../a'],
    ['grep *', 'grep -rn --include=*.ts foo$ src'],
    ['grep *', 'grep -n "a b$" src/a.ts'],
    ['mkdir *', 'mkdir -p src/a'],
    ['date *', 'date -u'],
    ['git ls-files *', 'git ls-files -m --others'],
    ['git log *', "git log --grep='costs $5' --author=a"],
    ['git add *', 'git add src/*.ts ../b'],
    ['git merge *', 'git merge --no-ff a'],
    ['git status *', 'git status --porcelain src'],
    ['gh pr view *', 'gh pr view 3 --json title'],
    ['docker logs *', 'docker logs -f a'],
    ['kubectl logs *', 'kubectl logs -f a -n b'],
    ['pytest *', 'pytest --timeout=60 -p no:cacheprovider -W error'],
    ['ruff *', 'ruff check . --output-format=github'],
    ['ctest *', 'ctest --output-on-failure -j4'],
    ['vite *', 'vite build --emptyOutDir'],
    ['mocha *', 'mocha -R dot --grep="[a] b"'],
    ['rspec *', 'rspec -fd spec/a_spec.rb'],
    ['pnpm install *', 'pnpm install -w --frozen-lockfile'],
    ['pnpm test *', 'pnpm test --filter a'],
    ['turbo test *', 'turbo test --filter=a -- --watch'],
  ])('what is usual goes on without asking: %s allows %s', (pattern, command) => {
    expect(run(pattern, command)).toBe(true);
    expect(patternFor('run', command)).toBe(pattern);
  });

  it.each([
    'uniq a out',
    'date 010100002001',
    './test a',
    'bin/test a',
    './git status',
    'node_modules/.bin/eslint src',
    './build.sh all',
    'some-tool check --verbose --fix src/a.ts',
    './npm test',
    '../gradlew build',
  ])('no rule for a program covers one that is not known by its name alone: %s', (command) => {
    const pattern = patternFor('run', command);
    expect(pattern).toMatch(/#sha256:[0-9a-f]{64}$/);
    expect(run(pattern, command)).toBe(true);
    expect(run(`${command.split(' ')[0]} *`, command)).toBe(false);
  });

  describe('on Windows', () => {
    afterEach(() => vi.unstubAllGlobals());

    it.each([
      'npm test %A%',
      'npm test -- -t "100%"',
      'npm test --^script-shell=a',
      "npm test -- 'a --b'",
      'git log --author=%A%',
    ])('what cmd.exe makes something else of is asked about: %s', (command) => {
      vi.stubGlobal('process', { ...process, platform: 'win32' });
      const beginning = command.startsWith('git') ? 'git log *' : 'npm test *';
      expect(run(beginning, command)).toBe(false);
      expect(run(beginning, beginning.slice(0, -2))).toBe(true);
    });
  });

  it('of a tool that is not known, a rule written by hand says what for, and covers nothing that says it does more', () => {
    const rule = 'some-tool check *';
    expect(run(rule, 'some-tool check --verbose src/a.ts')).toBe(true);
    expect(run('./build.sh all *', './build.sh all --fast')).toBe(true);
    for (const more of ['--exec ./a', '-x ./a', '-xa/b', '@a', '../a', '$A', '/tmp/a', '--b ./a', '-*'])
      expect(run(rule, `some-tool check ${more}`), more).toBe(false);
    expect(run('some-tool *', 'some-tool check')).toBe(false);
    expect(run('gh pr merge *', 'gh pr merge 3 --squash')).toBe(true);
    expect(run('conda run *', 'conda run a')).toBe(false);
  });

  it('an option that stands in a rule written by hand is the choice of who wrote it', () => {
    expect(run('kubectl get --kubeconfig ./a *', 'kubectl get --kubeconfig ./a pods')).toBe(true);
    expect(run('kubectl get --kubeconfig ./a *', 'kubectl get --kubeconfig ./a pods --server=b')).toBe(false);
    expect(run('tsc --outDir dist *', 'tsc --outDir dist --noEmit')).toBe(true);
  });

  it('interpreters and chains are remembered as exactly this command', () => {
    for (const command of [
      'bash build.sh',
      'rm -r out',
      'python3 -c "print(1)"',
      'make; make install',
      'git -C /x push',
      'sudo ls',
    ]) {
      const pattern = patternFor('run', command);
      expect(pattern).toMatch(/#sha256:[0-9a-f]{64}$/);
      expect(run(pattern, command)).toBe(true);
      expect(run(pattern, `${command} x`)).toBe(false);
    }
  });

  it('a star alone allows nothing: it would allow everything', () => {
    expect(run('*', 'ls')).toBe(false);
  });

  it('a pattern without a star is the whole command', () => {
    expect(run('npm test', 'npm test')).toBe(true);
    expect(run('npm test', 'npm  test ')).toBe(true);
    expect(run('npm test', 'npm test --x')).toBe(false);
  });
});

describe('patterns of paths', () => {
  it('a remembered path is that path, whatever characters it has', () => {
    for (const path of ['src/app.ts', 'src/[id]/page.tsx', 'a*b?.txt', 'a(1)+$.ts', 'back\\slash']) {
      const pattern = patternFor('edit', path);
      expect(matchesPattern('edit', pattern, path)).toBe(true);
      expect(matchesPattern('edit', pattern, `${path}x`)).toBe(false);
    }
    expect(matchesPattern('edit', patternFor('edit', 'a*.ts'), 'ab.ts')).toBe(false);
  });

  it('stars written by hand', () => {
    const edit = (pattern: string, path: string) => matchesPattern('edit', pattern, path);
    expect(edit('src/**', 'src/a/b.ts')).toBe(true);
    expect(edit('src/*', 'src/a/b.ts')).toBe(false);
    expect(edit('src/**/*.ts', 'src/b.ts')).toBe(true);
    expect(edit('**/*.md', '.github/a.md')).toBe(true);
    expect(edit('*.md', 'docs/a.md')).toBe(false);
    expect(edit('a?.ts', 'ab.ts')).toBe(true);
  });
});
