/**
 * Tools that come and go: those of MCP servers and those that other extensions registered with VS Code. No provider takes
 * more than so many; what goes beyond is left out, and said.
 */
import type { Tool } from '../ports.js';
import type { Output } from './output.js';

export interface ToolSources {
  /** Behind the tools of these names, which they do not take. */
  list(taken: ReadonlySet<string>): readonly Tool[];
}

/** What providers take in one request. */
const MOST_TOOLS = 128;

export function createToolSources(
  sources: readonly ((taken: ReadonlySet<string>) => readonly Tool[])[],
  log: Output['log'],
): ToolSources {
  let said = '';
  const sayOnce = (text: string): void => {
    if (text !== said && text !== '') log('warn', text);
    said = text;
  };
  return {
    list(ours) {
      const taken = new Set(ours);
      const all: Tool[] = [];
      const left: string[] = [];
      for (const source of sources) {
        for (const tool of source(taken)) {
          const { name } = tool.spec;
          if (taken.has(name) || taken.size >= MOST_TOOLS) {
            left.push(name);
            continue;
          }
          taken.add(name);
          all.push(tool);
        }
      }
      sayOnce(
        left.length === 0
          ? ''
          : `Tools are left out, for their name is taken or there are more than ${MOST_TOOLS}: ${left.join(', ')}. Choose fewer tools of extensions, or stop an MCP server.`,
      );
      return all;
    },
  };
}
