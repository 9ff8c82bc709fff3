/** The tools a model gets, in the order it is told about them. */
import type { Tool } from '../ports.js';
import { askTool } from './ask.js';
import { backgroundTool } from './background.js';
import { diagnosticsTool } from './diagnostics.js';
import { editTool } from './edit.js';
import { fetchTool } from './fetch.js';
import { finishTool } from './finish.js';
import { globTool } from './glob.js';
import { listTool } from './list.js';
import { readTool } from './read.js';
import { readResultTool } from './read-result.js';
import { referencesTool } from './references.js';
import { runTool } from './run.js';
import { searchTool } from './search.js';
import { subagentTool } from './subagent.js';
import { symbolsTool } from './symbols.js';
import { todoTool } from './todo.js';
import { writeTool } from './write.js';

export const createTools = (): Tool[] => [
  listTool,
  readTool,
  searchTool,
  globTool,
  symbolsTool,
  referencesTool,
  diagnosticsTool,
  editTool,
  writeTool,
  runTool,
  backgroundTool,
  fetchTool,
  askTool,
  readResultTool,
  todoTool,
  subagentTool,
  finishTool,
];
