// A VS Code that talks to a scripted model server.
import { type ModelServer, reply, startModelServer } from '../model-server/index.js';
import { type Editor, eventually, type StartOptions, withEditor } from './bench/index.js';
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

/** Two sessions of a prompt and its answer each; gives the person at the second. */
export async function twoSessions(
  { editor, server, person }: Scene,
  [[first, firstAnswer], [second, secondAnswer]]: [[string, string], [string, string]],
): Promise<Person> {
  server.enqueue(reply.text(firstAnswer), reply.text(secondAnswer));
  await person.send(first);
  await person.says(firstAnswer);
  await person.run('idle');
  await editor.runCommand('Bough: New Session');
  const chat = await personAt(editor);
  await eventually(async () => (await chat.at('message').count()) === 0, { what: 'an empty chat' });
  await chat.send(second);
  await chat.says(secondAnswer);
  await chat.run('idle');
  return chat;
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
