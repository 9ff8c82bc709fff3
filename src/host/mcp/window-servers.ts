/**
 * The MCP servers of this window: where their configuration lies, what the person is asked, and what starts and ends them.
 * The protocol and its library are loaded when the first server starts.
 */
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import * as vscode from 'vscode';
import type { Clock } from '../../ports.js';
import { asks } from '../asks.js';
import { createBag } from '../disposables.js';
import type { Output } from '../output.js';
import type { Teller } from '../tell.js';
import type { ServerInput } from './config.js';
import { pickServer, type PickParts } from './pick.js';
import { createReach } from './reach.js';
import { McpServers, type Source } from './servers.js';
import { createAccounts } from './window-sign-in.js';

export interface WindowServersParts {
  context: vscode.ExtensionContext;
  /** Path of the supervisor's script. */
  supervisor: string;
  clock: Clock;
  output: Output;
  tell: Teller;
}

export interface WindowServers extends vscode.Disposable {
  servers: McpServers;
  /** What servers there are and how they are, to start, stop and look into them. */
  show: () => Promise<void>;
  /** Looks for servers that wait for a yes; starts none. */
  start: () => Promise<void>;
}

const ALLOWED = 'mcp.allowed';

export function createWindowServers(parts: WindowServersParts): WindowServers {
  const { context, output, tell } = parts;
  const bag = createBag();
  const reach = createReach({
    env: process.env,
    home: os.homedir(),
    folders: () => Object.fromEntries(localFolders().map(({ name, uri }) => [name, uri.fsPath])),
    readFile: (path) => readFile(path, 'utf8'),
    secrets: context.secrets,
    ask,
    hide: output.hide,
  });
  const connectParts = {
    supervisor: parts.supervisor,
    clock: parts.clock,
    env: process.env,
    version: versionOf(context),
    roots: () => localFolders().map(({ name, uri }) => ({ name, uri: uri.toString() })),
    fetch: (...args: Parameters<typeof fetch>) => globalThis.fetch(...args),
  };
  const load = async () => import('./speaker.js');
  const accounts = createAccounts({
    ...{ load, fetch: connectParts.fetch, tell },
    ...{ secrets: context.secrets, hide: output.hide, servers: () => servers },
  });
  const servers: McpServers = bag.add(
    new McpServers({
      sources: () => readSources(context.globalStorageUri),
      allowed: {
        read: () => context.globalState.get<Record<string, string>>(ALLOWED, {}),
        write: async (all) => context.globalState.update(ALLOWED, all),
      },
      serverParts: (known) => ({
        reach: (onAsk) => reach.reach(known, onAsk),
        load,
        connectParts: { ...connectParts, account: accounts.of(known) },
        onSignedOut: () => accounts.tell(known),
      }),
      clock: parts.clock,
      onUnasked: (all) => {
        const names = all.map(({ name }) => `"${name}"`).join(', ');
        const text = vscode.l10n.t(
          '{0} names MCP servers that Bough may start: {1}.',
          all[0]?.file ?? '',
          names,
        );
        tell.info(text, { [vscode.l10n.t('Review…')]: show });
      },
      onFailed: (name, why) => {
        const said = output.clean(why);
        const text = vscode.l10n.t('The MCP server “{0}” could not be started: {1}', name, said);
        tell.warn(text, { [vscode.l10n.t('MCP Servers…')]: show });
      },
      onError: output.bug,
      log: output.log,
    }),
  );
  const pickParts: PickParts = {
    ...{ servers, accounts, showLog: output.show },
    forget: (known) => reach.forget(known),
  };
  const show = (): Promise<void> => pickServer(pickParts);
  const look = (): void => void servers.look().catch(output.bug);
  bag.add(vscode.workspace.onDidGrantWorkspaceTrust(look));
  bag.add(vscode.workspace.onDidChangeWorkspaceFolders(look));
  bag.add(
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.path.endsWith('/mcp.json')) look();
    }),
  );
  return { servers, show, start: () => servers.look(), dispose: () => bag.dispose() };
}

/** Folders on the disk of this machine: nothing runs elsewhere. */
const localFolders = (): vscode.WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');

function versionOf(context: vscode.ExtensionContext): string {
  const { version } = context.extension.packageJSON as { version?: unknown };
  return typeof version === 'string' ? version : '0';
}

/** The person's own file lies beside VS Code's other files of the profile; none is read in a workspace without trust. */
async function readSources(globalStorage: vscode.Uri): Promise<Source[]> {
  if (!vscode.workspace.isTrusted) return [];
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  const ofFolders = localFolders().map(async ({ name, uri }): Promise<Source | undefined> => {
    const read = await readIfThere(vscode.Uri.joinPath(uri, '.vscode', 'mcp.json'));
    const file = several ? `${name}/.vscode/mcp.json` : '.vscode/mcp.json';
    return read === undefined ? undefined : { scope: uri.toString(), file, folder: uri.fsPath, ...read };
  });
  const own = await readIfThere(userFile(globalStorage));
  const user = own === undefined ? [] : [{ scope: 'user', file: vscode.l10n.t('your mcp.json'), ...own }];
  return [...(await Promise.all(ofFolders)).filter((source) => source !== undefined), ...user];
}

/** `<profile>/globalStorage/<extension>` → `<profile>/mcp.json`. */
const userFile = (globalStorage: vscode.Uri): vscode.Uri =>
  vscode.Uri.joinPath(globalStorage, '..', '..', 'mcp.json');

async function readIfThere(uri: vscode.Uri): Promise<Pick<Source, 'text' | 'unreadable'> | undefined> {
  try {
    return { text: new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)) };
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    return { text: '', unreadable: error instanceof Error ? error.message : String(error) };
  }
}

async function ask(input: ServerInput, server: string): Promise<string | undefined> {
  const title = vscode.l10n.t('MCP server “{0}”', server);
  const prompt = input.description ?? input.id;
  if (input.type === 'pickString')
    return asks.showQuickPick(input.options, { title, placeHolder: prompt, ignoreFocusOut: true });
  return asks.showInputBox({
    ...{ title, prompt, password: input.password, ignoreFocusOut: true },
    ...(input.default === undefined ? {} : { value: input.default }),
  });
}
