import { describe, expect, it } from 'vitest';
import { makesThingsRun } from '../../../src/agent/files-that-run.js';

describe('files that make something run', () => {
  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    'sub/.git/config',
    'folder/.vscode/tasks.json',
    '.vscode/settings.json',
    'my.code-workspace',
    '.husky/pre-push',
    '.idea/workspace.xml',
    '.devcontainer/devcontainer.json',
    '.npmrc',
    'packages/a/package.json',
    'package-lock.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    'Cargo.lock',
    '.env',
    '.env.local',
    '.envrc',
    'src/App.csproj',
    'Directory.Build.props',
    '.gitattributes',
    'node_modules/left-pad/index.js',
    // The same to a file system that is not strict.
    '.GIT/config',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    '.g\u200cit/config',
    '.VSCode\\tasks.json',
    'Package.JSON',
  ])('%s is asked about', (path) => {
    expect(makesThingsRun(path)).toBe(true);
  });

  it.each([
    'src/app.ts',
    'a.txt',
    '.gitignore',
    'git/config.ts',
    'vscode/tasks.json',
    'src/package.json.ts',
    'docs/env.md',
    'environment.ts',
    'src/lock.ts',
    'locksmith.json',
    'README',
    'notes: today.md',
  ])('%s is not', (path) => {
    expect(makesThingsRun(path)).toBe(false);
  });
});
