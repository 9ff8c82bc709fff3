/**
 * Skills that were loaded stand in the conversation as entries: told from then on, on this line and those that branch
 * from it, and through compactions. One whose text the model is told already is not loaded twice.
 */
import type { LoadedSkill } from '../ports.js';
import type { Part } from '../shared/entry.js';
import { isFailure, type Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import { promptOf } from '../shared/prompt-parts.js';
import { tellPath, type Line } from './context/select.js';
import type { Core } from './core.js';
import { refused } from './failures.js';
import { sha256 } from './sha256.js';

/** The tool that loads one. */
export const SKILL_TOOL = 'skill';

/** Nothing when the model is told just this already. */
export function skillLoad(line: Line, skill: LoadedSkill, turn_id: string): Draft[] {
  const told = tellPath(line).said.findLast(
    (said) => said.kind === 'skill' && said.entry.name === skill.name,
  );
  if (told?.kind === 'skill') {
    const { body, blob } = told.entry;
    if (blob === undefined ? body === skill.body : blob === sha256(skill.body.toWellFormed())) return [];
  }
  return [{ type: 'skill_load', turn_id, ...skill }];
}

/** Skills a message names, in its order. */
const namedIn = (parts: Part[]): string[] => [
  ...new Set(
    promptOf({ role: 'user', parts }).attachments.flatMap(({ kind, label }) =>
      kind === 'skill' ? [label] : [],
    ),
  ),
];

async function load(core: Core, name: string): Promise<LoadedSkill | Failure> {
  return core.parts.skills === undefined ? noSkill(name) : core.parts.skills.load(name, 'person');
}

const noSkill = (name: string): Failure =>
  refused('NoSkill', `There is no skill "${name}" here. Take it off the message, or name another.`);

/** The skills that the person names with a message that is about to be sent, on the line to `head`. */
export async function namedSkills(
  core: Core,
  { parts, head, turn_id }: { parts: Part[]; head: string | null; turn_id: string },
): Promise<Draft[] | Failure> {
  const names = namedIn(parts);
  if (names.length === 0) return [];
  const line = await core.log.line(head);
  const drafts: Draft[] = [];
  for (const name of names) {
    const skill = await load(core, name);
    if (isFailure(skill)) return skill;
    drafts.push(...skillLoad(line, skill, turn_id));
  }
  return drafts;
}

/** A batch that takes a message from the queue, with the skills it names before it. What cannot be loaded is said in it. */
export async function withSkills(core: Core, batch: readonly Draft[]): Promise<Draft[]> {
  const whole: Draft[] = [];
  for (const draft of batch) {
    if (draft.type !== 'message' || draft.role !== 'user' || namedIn(draft.parts).length === 0) {
      whole.push(draft);
      continue;
    }
    const { parts, turn_id = '' } = draft;
    const loads = await namedSkills(core, { parts, head: core.log.head, turn_id });
    if (!isFailure(loads)) whole.push(...loads, draft);
    else
      whole.push({
        ...draft,
        parts: [...parts, { type: 'text', text: `[A skill could not be loaded: ${loads.message}]` }],
      });
  }
  return whole;
}
