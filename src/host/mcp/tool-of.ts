/** A tool of a server behind the Tool port: asked about like ours, and told to the model as what it is. */
import type { Prepared, Tool } from '../../ports.js';
import { toolFailure } from '../../shared/failure.js';
import type { ServerTool } from './connection.js';
import type { Server } from './server.js';
import { subjectOfTool } from './tool-subject.js';

/** `identity`: of the server as it is configured now. A rule is for this tool of it: another one of that name is asked about. */
export function toolOf(name: string, about: { server: Server; tool: ServerTool; identity: string }): Tool {
  const { server, tool, identity } = about;
  // Whatever the server says of itself: only the person knows what its tools may do.
  const risk = server.config.type === 'stdio' ? 'run' : 'net';
  return {
    spec: {
      name,
      description: `${tool.description}\n(A tool of the MCP server "${server.name}".)`.trim(),
      input_schema: tool.inputSchema,
    },
    risk,
    prepare(input) {
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        return Promise.resolve(toolFailure('invalid-input', `The input of ${name} must be an object.`));
      const prepared: Prepared = {
        tool: name,
        input,
        sentence: `Call ${tool.name} of the MCP server "${server.name}"`,
        risk,
        targets: [],
        subject: subjectOfTool({ server: server.name, tool: tool.name, identity }),
      };
      return Promise.resolve(prepared);
    },
    run: (prepared, { signal, report, operation_key }) =>
      server.call(tool.name, prepared.input as Record<string, unknown>, {
        ...{ signal, onProgress: report },
        ...(operation_key === undefined ? {} : { operationKey: operation_key }),
      }),
  };
}
