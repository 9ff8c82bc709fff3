/**
 * Skills as others keep them: a folder with a SKILL.md that has a name and a description at its head. Those of trusted
 * folders, then the person's own; of two with one name the first counts. Looked for anew each time.
 */
import type { LoadedSkill, Outcome, SkillInfo, Skills, Workspace } from '../../ports.js';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { cap } from './cap.js';
import { createLeftOut, type LeftOut } from './left-out.js';
import { oneLine, readFrontMatter } from './frontmatter.js';

/** In each workspace folder, in this order. */
const IN_FOLDER = ['.agents/skills', '.claude/skills', '.github/skills'];
/** In the person's home. */
const AT_HOME = ['.agents/skills', '.claude/skills', '.copilot/skills'];

const LONGEST_BODY = 100_000;
const LONGEST_DESCRIPTION = 1024;
const NAME = /^[\w.-]{1,64}$/;

/** A place that skills lie in. Undefined: there is no such thing. */
export interface Shelf {
  names(): Promise<readonly string[]>;
  read(path: string): Promise<Outcome<string> | undefined>;
  /** How its files are named to the model. */
  base: string;
}

export interface SkillsParts {
  workspace: Pick<Workspace, 'folders' | 'trusted' | 'resolve' | 'list' | 'read'>;
  /** A folder of the person's home. */
  atHome: (folder: string) => Shelf;
  log: (level: 'warn', text: string) => void;
}

interface Found {
  info: SkillInfo;
  skill: LoadedSkill;
  shelf: Shelf;
  folder: string;
}

export function createSkills(parts: SkillsParts): Skills {
  const leftOut = createLeftOut(parts.log);
  const all = () => findSkills(parts, leftOut);
  const find = async (name: string, isFor: (info: SkillInfo) => boolean): Promise<Found | Failure> => {
    const found = await all();
    return found.find(({ info }) => info.name === name && isFor(info)) ?? unknown(name, found);
  };
  return {
    list: async () => (await all()).map(({ info }) => info),
    load: async (name, asker) => {
      const found = await find(name, asker === 'person' ? isForAnybody : isForModel);
      return isFailure(found) ? found : found.skill;
    },
    // Those of one that only the person loads too: once it is loaded, its text sends the model to them.
    file: async (name, path) => {
      const found = await find(name, isForAnybody);
      return isFailure(found) ? found : readFile(found, path);
    },
  };
}

const isForModel = (info: SkillInfo): boolean => info.isForModel;
const isForAnybody = (): boolean => true;

/** The model reads it: what is for the person alone is not named. */
function unknown(name: string, found: readonly Found[]): Failure {
  const infos = found.map(({ info }) => info).filter(isForModel);
  const names = infos.map((info) => info.name).join(', ');
  return toolFailure(
    'no-skill',
    `There is no skill "${name}" here.${names === '' ? '' : ` These are: ${names}.`}`,
  );
}

async function findSkills(parts: SkillsParts, leftOut: LeftOut): Promise<Found[]> {
  const found = new Map<string, Found>();
  for (const shelf of [...shelvesOf(parts.workspace), ...AT_HOME.map(parts.atHome)]) {
    for (const folder of [...(await shelf.names())].sort()) {
      const skill = await readSkill(shelf, folder, leftOut);
      if (skill !== undefined && !found.has(skill.info.name)) found.set(skill.info.name, skill);
    }
  }
  return [...found.values()].sort((a, b) => (a.info.name < b.info.name ? -1 : 1));
}

/** Nothing of a folder that is not trusted may speak to the model. */
function shelvesOf(workspace: SkillsParts['workspace']): Shelf[] {
  if (!workspace.trusted) return [];
  const folders = workspace.folders();
  return folders.flatMap(({ name }) =>
    IN_FOLDER.map((place) => inWorkspace(workspace, folders.length > 1 ? `${name}/${place}` : place)),
  );
}

function inWorkspace(workspace: SkillsParts['workspace'], base: string): Shelf {
  return {
    base,
    async names() {
      const at = await workspace.resolve(base);
      const entries = isFailure(at) ? at : await workspace.list(at);
      return isFailure(entries) ? [] : entries.flatMap(({ name, kind }) => (kind === 'file' ? [] : [name]));
    },
    async read(path) {
      const at = await workspace.resolve(`${base}/${path}`);
      if (isFailure(at)) return at;
      const read = await workspace.read(at);
      if (!isFailure(read)) return read.text;
      return read.code === 'missing' ? undefined : read;
    },
  };
}

async function readSkill(shelf: Shelf, folder: string, leftOut: LeftOut): Promise<Found | undefined> {
  const text = await shelf.read(`${folder}/SKILL.md`);
  const base = `${shelf.base}/${folder}`;
  if (text === undefined) {
    leftOut(base, null);
    return undefined;
  }
  if (isFailure(text)) {
    leftOut(base, `the skill in ${base} is left out: ${text.message}`);
    return undefined;
  }
  const { fields, body } = readFrontMatter(text);
  const name = fields.get('name') || folder;
  const description = oneLine(fields.get('description') ?? '', LONGEST_DESCRIPTION);
  if (!NAME.test(name) || description === '') {
    leftOut(
      base,
      `the skill in ${base} is left out: its SKILL.md needs a name of letters, digits and - and a description at its head`,
    );
    return undefined;
  }
  leftOut(base, null);
  return {
    ...{ shelf, folder },
    info: {
      ...{ name, description },
      isForModel: fields.get('disable-model-invocation') !== 'true',
      isForPerson: fields.get('user-invocable') !== 'false',
    },
    skill: { name, description, body: cap(body.trim(), LONGEST_BODY), resource_base: base },
  };
}

async function readFile({ shelf, folder, info }: Found, path: string): Promise<string | Failure> {
  const steps = path.replaceAll('\\', '/').split('/');
  if (path.startsWith('/') || /^\w:/.test(path) || steps.includes('..'))
    return toolFailure(
      'outside',
      `${path} lies outside the skill ${info.name}. Give a path inside its folder.`,
    );
  const text = await shelf.read(`${folder}/${steps.filter((step) => step !== '.').join('/')}`);
  return text ?? toolFailure('missing', `The skill ${info.name} has no file ${path}.`);
}
