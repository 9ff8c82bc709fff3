/**
 * Activation: registers at once what VS Code may ask for and loads everything else right after, so that starting VS Code
 * does not wait for it. Returns the public API. No logic.
 */
import type { ExtensionContext } from 'vscode';
import type { BoughApi } from './host/api.js';
import type { Bough } from './host/bough.js';
import { registerChat } from './host/chat/register.js';
import { registerCommands } from './host/commands/commands.js';
import { readSetting } from './host/configuration.js';
import { createDiffs } from './host/editor/diffs.js';
import { createKeptFiles } from './host/editor/kept-files.js';
import { installedId } from './host/installed.js';
import { lazy, type Lazy } from './host/lazy.js';
import { createOutput } from './host/output.js';
import { registerParticipant } from './host/participant/register.js';
import { createApi, createApiEvents } from './host/public-api.js';
import { registerSessionsView } from './host/sessions/view.js';
import { createStatus } from './host/status.js';
import { createTeller } from './host/tell.js';

let loaded: Lazy<Bough> | undefined;

export function activate(context: ExtensionContext): BoughApi {
  const began = performance.now();
  const output = createOutput();
  const tell = createTeller(output, async (command) => (await load()).runUi(command));
  const events = createApiEvents(output.bug);
  const status = createStatus();
  const list = registerSessionsView(() => load(), output.bug);
  const diffs = createDiffs({
    find: async (session, call) => (await load()).proposal(session, call),
    keep: async (session, call, text) => (await load()).keepEdited(session, call, text),
    onError: output.bug,
  });
  const kept = createKeptFiles(async (session, hash) => (await load()).keptBytes(session, hash));
  const load = lazy(async () => {
    const { createBough } = await import('./host/bough.js');
    return createBough({
      context,
      output,
      tell,
      events,
      showNeeds: list.showNeeds,
      showRun: status.show,
      list,
      diffs,
      kept,
    });
  });
  loaded = load;
  const chat = registerChat({ extensionUri: context.extensionUri, load, onError: tell.error });
  const commands = registerCommands(async () => (await load()).commands, tell.error);
  const participant = registerParticipant(context.extensionUri, load);
  context.subscriptions.push(output, status, list, diffs, kept, chat, commands, participant);
  const activated = performance.now() - began;
  setTimeout(() => {
    load()
      .then((bough) => bough.start())
      .then(() =>
        output.log(
          'info',
          `Activated in ${activated.toFixed(0)} ms, ready after ${(performance.now() - began).toFixed(0)} ms.`,
        ),
      )
      .catch((error: unknown) => tell.error(error, 'Starting Bough'));
  }, 0);
  return createApi({ load, events, readSetting, installedId });
}

/** VS Code waits a few seconds: runs are ended, and what they have said so far is kept. */
export async function deactivate(): Promise<void> {
  const bough = await loaded?.peek();
  await bough?.shutdown();
}
