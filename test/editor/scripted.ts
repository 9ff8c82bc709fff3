// A VS Code that talks to a scripted model server.
import { type ModelServer, startModelServer } from '../model-server/index.js';
import { type Editor, type StartOptions, withEditor } from './bench/index.js';
import { type Person, personAt } from './person.js';

export interface Scene {
  editor: Editor;
  server: ModelServer;
  person: Person;
}

export const providers = (url: string) =>
  ({
    'bough.providers': { scripted: { kind: 'openai-compatible', baseUrl: url, models: [{ id: 'model-1' }] } },
    'bough.model': 'scripted/model-1',
  }) as const;

export async function withScriptedModel(
  options: StartOptions,
  scene: (parts: Scene) => Promise<void>,
): Promise<void> {
  const server = await startModelServer();
  try {
    const machineSettings = { ...providers(server.url), ...options.machineSettings };
    await withEditor({ ...options, machineSettings }, async (editor) => {
      await scene({ editor, server, person: await personAt(editor) });
    });
  } finally {
    await server.close();
  }
}

/** What a request tells the model, as plain text by role. */
export function told(server: ModelServer, request: number): { role: string; text: string }[] {
  const seen = server.requests[request - 1];
  if (!seen) throw new Error(`there were only ${server.requests.length} requests`);
  return seen.body.messages.map(({ role, content }) => ({
    role,
    text: typeof content === 'string' ? content : JSON.stringify(content ?? ''),
  }));
}
