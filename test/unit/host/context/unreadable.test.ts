/** What lies in the person's home and cannot be read is said, and keeps nothing else from being read. */
import { expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import { homeShelf } from '../../../../src/host/context/home-shelf.js';
import { createLeftOut } from '../../../../src/host/context/left-out.js';
import { findPrompts } from '../../../../src/host/context/prompt-files.js';
import { createSkills } from '../../../../src/host/context/skills.js';
import { fakeWorkspace } from '../../tools/fake-workspace.js';

type Entry = string | Error;
const disk = vi.hoisted(() => ({ files: new Map<string, Entry>() }));

vi.mock('vscode', () => {
  class FileSystemError extends Error {
    constructor(
      readonly code: string,
      message: string,
    ) {
      super(message);
    }
  }
  const uri = (path: string) => ({ path, fsPath: path });
  const read = (path: string): Entry => {
    const entry = disk.files.get(path);
    if (entry === undefined) throw new FileSystemError('FileNotFound', `${path} is not there`);
    return entry;
  };
  const below = (path: string): [string, number][] => {
    const rests = [...disk.files.keys()].flatMap((key) =>
      key.startsWith(`${path}/`) ? [key.slice(path.length + 1)] : [],
    );
    if (rests.length === 0) throw new FileSystemError('FileNotFound', `${path} is not there`);
    return [...new Set(rests.map((rest) => rest.split('/')[0] ?? ''))].map((name) => [
      name,
      rests.includes(name) ? 1 : 2,
    ]);
  };
  return {
    FileSystemError,
    FileType: { File: 1, Directory: 2 },
    Uri: {
      file: uri,
      joinPath: (base: vscode.Uri, ...names: string[]) => uri([base.path, ...names].join('/')),
    },
    workspace: {
      fs: {
        readDirectory: async (at: vscode.Uri) => Promise.resolve(below(at.path)),
        stat: async (at: vscode.Uri) => Promise.resolve(read(at.path)).then(() => ({ type: 1, size: 1 })),
        readFile: async (at: vscode.Uri) => {
          const entry = await Promise.resolve(read(at.path));
          if (typeof entry !== 'string') throw entry;
          return new TextEncoder().encode(entry);
        },
      },
    },
  };
});
vi.mock('node:os', () => ({ default: { homedir: () => '/home/me' } }));

const denied = async (): Promise<Error> => {
  const { FileSystemError } = (await import('vscode')) as unknown as {
    FileSystemError: new (code: string, message: string) => Error;
  };
  return new FileSystemError('NoPermissions', 'permission denied');
};

const skill = (name: string) => `---\nname: ${name}\ndescription: About it\n---\nBody`;

it('a skill that cannot be read is left out, and that is said; the others are there', async () => {
  const told: string[] = [];
  disk.files = new Map<string, Entry>([
    ['/home/me/.claude/skills/bad/SKILL.md', await denied()],
    ['/home/me/.claude/skills/good/SKILL.md', skill('good')],
    ['/home/me/.claude/skills/good/secret.md', await denied()],
  ]);
  const skills = createSkills({
    ...{ workspace: fakeWorkspace(), atHome: homeShelf },
    log: (_level, text) => told.push(text),
  });
  expect((await skills.list()).map(({ name }) => name)).toEqual(['good']);
  expect(told).toEqual([
    'the skill in ~/.claude/skills/bad is left out: bad/SKILL.md cannot be read: permission denied',
  ]);
  // Each turn looks again; the same fault of the same file is said once, another one or one that came back again.
  await skills.list();
  expect(told).toHaveLength(1);
  const bad = '/home/me/.claude/skills/bad/SKILL.md';
  disk.files.set(bad, 'no head');
  await skills.list();
  await skills.list();
  expect(told).toHaveLength(2);
  expect(told[1]).toContain('needs a name');
  disk.files.set(bad, skill('bad'));
  expect(await skills.list()).toHaveLength(2);
  disk.files.set(bad, 'no head');
  await skills.list();
  expect(told).toHaveLength(3);
  expect(await skills.file('good', 'secret.md')).toMatchObject({ kind: 'tool', code: 'unreadable' });
});

it('a fault that is none of the disk is not taken for one', async () => {
  disk.files = new Map<string, Entry>([['/home/me/.claude/skills/a/SKILL.md', new Error('a bug')]]);
  await expect(homeShelf('.claude/skills').read('a/SKILL.md')).rejects.toThrow('a bug');
});

it('a prompt file that cannot be read is left out, and that is said; the others are there', async () => {
  const told: string[] = [];
  const parts = {
    workspace: fakeWorkspace({ files: { '.github/prompts/ours.prompt.md': 'Ours' } }),
    own: { path: '/prompts', fsPath: '/prompts' } as vscode.Uri,
    leftOut: createLeftOut((_level, text) => void told.push(text)),
  };
  disk.files = new Map<string, Entry>([
    ['/prompts/a.prompt.md', await denied()],
    ['/prompts/b.prompt.md', 'B'],
  ]);
  expect((await findPrompts(parts)).map(({ name }) => name)).toEqual(['b', 'ours']);
  expect(told).toEqual(['the prompt file /prompts/a.prompt.md is left out: permission denied']);
  await findPrompts(parts);
  expect(told).toHaveLength(1);
  disk.files = new Map();
  expect((await findPrompts(parts)).map(({ name }) => name)).toEqual(['ours']);
  expect(told).toHaveLength(1);
});
