/** A call of a tool of an MCP server, as what the person knows: their server and its tool, not the name that the model uses. */

export interface ServerTool {
  tool: string;
  server: string;
}

/** As the host words what it asks about; it is not the model that says this. */
const asked = /^Call (.+) of the MCP server "(.+)"$/s;
/** Only a name that was taken as it is has no further `_`: what was changed or cut, or is like another, ends in a hash. */
const plain = /^mcp_([^_]+)_([^_]+)$/;
const LONGEST_NAME = 64;

/** Undefined for other tools, and for a name that can be read in more than one way where nothing was asked. */
export function serverToolOf(name: string, summary: string | undefined): ServerTool | undefined {
  if (!name.startsWith('mcp_')) return undefined;
  const [, tool, server] = asked.exec(summary ?? '') ?? [];
  if (tool !== undefined && server !== undefined) return { tool, server };
  if (name.length >= LONGEST_NAME) return undefined;
  const [, itsServer, itsTool] = plain.exec(name) ?? [];
  return itsServer === undefined || itsTool === undefined ? undefined : { tool: itsTool, server: itsServer };
}
