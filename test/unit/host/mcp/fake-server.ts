/** A server of the Model Context Protocol in a few lines of plain JavaScript, and one in memory: with the faults of real ones. */
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';

export type Answer = (params: Record<string, unknown>) => unknown;
export type Methods = Record<string, Answer>;

export interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
}

const tools = [{ name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } }];

export const usual: Methods = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'fake', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: input }) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
};

/** Thrown by an answer: the error of the protocol. */
export class Refused extends Error {}

/** `undefined` as an answer is none at all. */
export function inMemory(methods: Methods) {
  const [client, server] = InMemoryTransport.createLinkedPair();
  const heard: Message[] = [];
  const send = (message: object) => server.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  server.onmessage = (raw) => {
    const message = raw as Message;
    heard.push(message);
    if (message.id === undefined || message.method === undefined) return;
    try {
      const { id } = message;
      const result = methods[message.method]?.(message.params ?? {});
      // Behind what it said before it answered.
      if (result !== undefined) setImmediate(() => void send({ id, result }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      void send({ id: message.id, error: { code: -32000, message: error.message } });
    }
  };
  void server.start();
  return { client, heard, send, close: () => server.close() };
}

/** The same as a program: its faults are chosen by its arguments. */
export const program = `
const faults = new Set(process.argv.slice(2));
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
if (faults.has('dies')) { console.error('there is no database'); process.exit(3); }
if (faults.has('deaf')) process.on('SIGTERM', () => undefined);
if (faults.has('deaf')) setInterval(() => undefined, 1000);
if (faults.has('child')) require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
if (faults.has('noise')) process.stdout.write('Server listening\\n{"not":"a message"}\\n\\n');
let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let end; (end = rest.indexOf('\\n')) >= 0; rest = rest.slice(end + 1)) answer(JSON.parse(rest.slice(0, end)));
});
function answer({ id, method, params }) {
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } } });
  if (method === 'tools/list') send({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }, { name: 'hang', inputSchema: { type: 'object' } }, { name: 'die', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return;
  console.error('called ' + params.name);
  if (params.name === 'die') process.exit(7);
  if (params.name === 'echo') send({ id, result: { content: [{ type: 'text', text: JSON.stringify({ ...params.arguments, cwd: process.cwd(), SEEN: process.env.SEEN }) }] } });
}
`;
