/**
 * What log, agent, models and tools ask of the world, as types only. The host implements it; tests fake it.
 * Five seams: clock, ids, files, model, workspace (a tool is a value behind {@link Tool}); each has a file in `ports`.
 */
export type * from './ports/base.js';
export type * from './ports/files.js';
export type * from './ports/model.js';
export type * from './ports/workspace.js';
export type * from './ports/language.js';
export type * from './ports/web.js';
export type * from './ports/beside.js';
export type * from './ports/skills.js';
export type * from './ports/tool.js';
