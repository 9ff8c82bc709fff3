import { describe, expect, it } from 'vitest';
import { createSkills, type Shelf } from '../../../../src/host/context/skills.js';
import type { Tool, ToolContext } from '../../../../src/ports.js';
import { isFailure } from '../../../../src/shared/failure.js';
import { createSkillTool } from '../../../../src/tools/skill.js';
import { contextOf } from '../../tools/call.js';
import { fakeWorkspace, type FakeOptions } from '../../tools/fake-workspace.js';

const file = (name: string, description: string, body = 'Body', more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n${body}\n`;

const empty: Omit<Shelf, 'base'> = {
  names: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
};

function world(options: FakeOptions, home: Record<string, Record<string, string>> = {}) {
  const told: string[] = [];
  const atHome = (folder: string): Shelf => {
    const files = home[folder];
    if (files === undefined) return { ...empty, base: `~/${folder}` };
    return {
      base: `~/${folder}`,
      names: () => Promise.resolve([...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))]),
      read: (path) => Promise.resolve(files[path]),
    };
  };
  const skills = createSkills({
    workspace: fakeWorkspace(options),
    atHome,
    log: (_level, text) => told.push(text),
  });
  return { skills, told };
}

async function prepared(tool: Tool, input: unknown, context: ToolContext) {
  const call = await tool.prepare(input, context);
  return isFailure(call) ? call : tool.run(call, context);
}

describe('skills', () => {
  it('are found where others keep them, each name once, in order', async () => {
    const { skills } = world(
      {
        files: {
          '.agents/skills/pdf/SKILL.md': file('pdf', 'Ours'),
          '.claude/skills/pdf/SKILL.md': file('pdf', 'Hidden by the first'),
          '.claude/skills/css/SKILL.md': file('css', 'Style', 'Body', 'disable-model-invocation: true\n'),
          '.github/skills/api/SKILL.md': '---\ndescription: >\n  Named by\n  its folder\n---\nBody',
          '.agents/skills/readme.md': 'no skill',
        },
      },
      { '.copilot/skills': { 'own/SKILL.md': file('own', 'Mine', 'Body', 'user-invocable: false\n') } },
    );
    expect(await skills.list()).toEqual([
      { name: 'api', description: 'Named by its folder', isForModel: true, isForPerson: true },
      { name: 'css', description: 'Style', isForModel: false, isForPerson: true },
      { name: 'own', description: 'Mine', isForModel: true, isForPerson: false },
      { name: 'pdf', description: 'Ours', isForModel: true, isForPerson: true },
    ]);
    expect(await skills.load('own', 'model')).toEqual({
      name: 'own',
      description: 'Mine',
      body: 'Body',
      resource_base: '~/.copilot/skills/own',
    });
  });

  it('of a folder that is not trusted are none; the own ones stay', async () => {
    const { skills } = world(
      { trusted: false, files: { '.agents/skills/pdf/SKILL.md': file('pdf', 'Theirs') } },
      { '.agents/skills': { 'own/SKILL.md': file('own', 'Mine') } },
    );
    expect((await skills.list()).map(({ name }) => name)).toEqual(['own']);
    expect(isFailure(await skills.load('pdf', 'person'))).toBe(true);
  });

  it('that have no description or an odd name are left out, and that is said', async () => {
    const { skills, told } = world({
      files: {
        '.agents/skills/a/SKILL.md': '---\nname: a\n---\nBody',
        '.agents/skills/b/SKILL.md': file('b c`d', 'Odd'),
        '.agents/skills/c/notes.md': 'no skill',
      },
    });
    expect(await skills.list()).toEqual([]);
    expect(told).toHaveLength(2);
  });

  it('that only the person loads are none to the model, and are not named to it', async () => {
    const { skills } = world({
      files: {
        '.agents/skills/css/SKILL.md': file('css', 'Style', 'Body', 'disable-model-invocation: true\n'),
        '.agents/skills/css/more.md': 'MORE',
        '.agents/skills/pdf/SKILL.md': file('pdf', 'Ours'),
      },
    });
    expect(await skills.load('css', 'model')).toMatchObject({
      code: 'no-skill',
      message: 'There is no skill "css" here. These are: pdf.',
    });
    const tool = createSkillTool(skills);
    const context = contextOf(fakeWorkspace());
    expect(await prepared(tool, { name: 'css' }, context)).toMatchObject({ is_error: true });
    expect(await prepared(tool, { name: 'pdf' }, context)).toMatchObject({ skill: { name: 'pdf' } });
    expect(await skills.load('css', 'person')).toMatchObject({ name: 'css', body: 'Body' });
    expect(await skills.file('css', 'more.md')).toBe('MORE');
  });

  it('show their own files and nothing outside', async () => {
    const { skills } = world({
      files: {
        '.agents/skills/pdf/SKILL.md': file('pdf', 'Ours'),
        '.agents/skills/pdf/docs/forms.md': 'FORMS',
        'secret.txt': 'SECRET',
      },
    });
    expect(await skills.file('pdf', './docs/forms.md')).toBe('FORMS');
    for (const path of [
      '../../../secret.txt',
      '/secret.txt',
      'docs/../../../../secret.txt',
      'C:\\x',
      'nothing',
    ])
      expect(isFailure(await skills.file('pdf', path)), path).toBe(true);
  });

  it('cut what is very long, with a mark', async () => {
    const { skills } = world({
      files: { '.agents/skills/pdf/SKILL.md': file('pdf', 'Ours', 'x'.repeat(200_000)) },
    });
    const skill = await skills.load('pdf', 'model');
    expect(isFailure(skill) ? '' : skill.body).toMatch(/of 200000 characters are left out here …]$/);
  });
});
