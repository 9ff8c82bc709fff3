/**
 * How the servers are, a line each, for what is given away to find a fault: no argument, variable or header is told, and of
 * an address only where it is.
 */
import type { ServerConfig } from './config.js';
import type { ServerState } from './server.js';
import type { McpServers } from './servers.js';

export type Told = Pick<McpServers, 'list' | 'unasked' | 'problems'>;

export function stateLines(servers: Told): string[] {
  const lines = [
    ...servers
      .list()
      .map(
        ({ known, server }) =>
          `${known.name} (${kindOf(known.config)}, named by ${known.file}): ${wordsOf(server.state)}, ${String(server.tools.length)} tools`,
      ),
    ...servers.unasked.map(
      ({ name, file, config }) => `${name} (${kindOf(config)}, named by ${file}): waits for your yes`,
    ),
    ...servers.problems,
  ];
  return lines.length === 0 ? ['None is configured.'] : lines;
}

function kindOf(config: ServerConfig): string {
  if (config.type === 'stdio') return `program ${config.command.split(/[\\/]/).at(-1) ?? ''}`;
  return URL.canParse(config.url) ? `${config.type} at ${new URL(config.url).origin}` : config.type;
}

function wordsOf(state: ServerState): string {
  switch (state.kind) {
    case 'off':
      return 'not needed yet';
    case 'asking':
      return 'waits for what it asked you';
    case 'starting':
    case 'running':
    case 'stopped':
      return state.kind;
    case 'ended':
      return `ended (${state.why})`;
    case 'signed-out':
      return `waits for you to sign in (${state.why})`;
    case 'failed':
      return `could not be started (${state.why})`;
  }
}
