/**
 * What a rule for a tool of an MCP server is about: the server, the tool, and how the server is set up, with blanks between
 * them. What they are called is not ours to say: blanks of a name are escaped, or "a b" of c and b of "c a" were one.
 */
export interface ToolSubject {
  server: string;
  tool: string;
  /** 16 hexadecimal digits. */
  identity: string;
}

/** A name that has neither a blank nor a `%` stands in it as it is. */
export const subjectOfTool = ({ server, tool, identity }: ToolSubject): string =>
  `${escapeName(server)} ${escapeName(tool)} ${identity}`;

/** Undefined when it is none. */
export function readToolSubject(subject: string): ToolSubject | undefined {
  const [, server, tool, identity] = /^(\S+) (\S+) ([0-9a-f]{16})$/.exec(subject) ?? [];
  if (server === undefined || tool === undefined || identity === undefined) return undefined;
  return { server: unescapeName(server), tool: unescapeName(tool), identity };
}

const escapeName = (name: string): string =>
  name.replace(/[\s%]/g, (char) => `%${char.charCodeAt(0).toString(16)};`);

const unescapeName = (name: string): string =>
  name.replace(/%([0-9a-f]{1,4});/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
