/** Instructions for kinds of task that people keep in files. */
import type { Failure } from '../shared/failure.js';

/** Instructions for a kind of task, as they are offered: what they are for. */
export interface SkillInfo {
  name: string;
  description: string;
  /** False: only the person loads it. */
  isForModel: boolean;
  /** False: it is not offered to the person. */
  isForPerson: boolean;
}

export interface LoadedSkill {
  name: string;
  description: string;
  body: string;
  /** Where its other files lie, as they are named to the model. */
  resource_base?: string;
}

/** Skills of the trusted folders and of the person; looked for anew each time. */
export interface Skills {
  /** In a stable order, each name once. */
  list(): Promise<readonly SkillInfo[]>;
  /** One that only the person loads is none to the model, and its name is not told. */
  load(name: string, asker: 'model' | 'person'): Promise<LoadedSkill | Failure>;
  /** The text of one of its own files, by its path in the skill's folder; nothing outside of that. */
  file(name: string, path: string): Promise<string | Failure>;
}
