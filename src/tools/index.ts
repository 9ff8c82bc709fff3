/** The tools a model gets, in the order it is told about them. */
import type { Tool } from '../ports.js';
import { editTool } from './edit.js';
import { finishTool } from './finish.js';
import { listTool } from './list.js';
import { readTool } from './read.js';
import { readResultTool } from './read-result.js';
import { runTool } from './run.js';
import { searchTool } from './search.js';
import { todoTool } from './todo.js';
import { writeTool } from './write.js';

export const createTools = (): Tool[] => [
  listTool,
  readTool,
  searchTool,
  editTool,
  writeTool,
  runTool,
  readResultTool,
  todoTool,
  finishTool,
];
