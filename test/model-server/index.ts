/** The scripted model server: `startModelServer()`, and `reply` and `part` to say what it answers, `replies` in other protocols. */
export { gate, part, reply } from './reply.js';
export type { Gate, Reply, ScriptedCall, ScriptedUsage, Step } from './reply.js';
export { startModelServer } from './server.js';
export type { ChatBody, ChatMessage, ModelServer, Script, SeenRequest } from './server.js';
export { replies } from './replies.js';
export type { Protocol } from './replies.js';
