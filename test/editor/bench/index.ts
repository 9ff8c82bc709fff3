// What a scene imports.
export { openBrowser } from './browser.js';
export { type Editor, startEditor, type StartOptions, withEditor } from './editor.js';
export { eventually } from './eventually.js';
export type { ProcessRow } from './processes.js';
export type { TreeRow } from './sessions-tree.js';
export type { Version } from './target.js';
export type { EditorWindow } from './window.js';
