/** The MCP servers in a list: how each is, and what can be done about it. */
import * as vscode from 'vscode';
import { asks } from '../asks.js';
import { unwrap } from '../errors.js';
import { plainLabel } from '../labels.js';
import type { ServerConfig } from './config.js';
import type { Server } from './server.js';
import type { Known, McpServers } from './servers.js';
import type { ServerAccounts } from './window-sign-in.js';

export interface PickParts {
  servers: McpServers;
  /** The person is asked again for what it needs. */
  forget: (known: Known) => Promise<void>;
  showLog: () => void;
  accounts: ServerAccounts;
}

interface Item extends vscode.QuickPickItem {
  run?: () => Promise<unknown>;
}

export async function pickServer(parts: PickParts): Promise<void> {
  const { servers } = parts;
  await servers.look();
  const items: Item[] = [
    ...servers.unasked.map((known) => unaskedItem(parts, known)),
    ...servers.list().map(({ known, server }) => serverItem(parts, known, server)),
    ...servers.problems.map((problem): Item => ({ label: `$(warning) ${plainLabel(problem)}` })),
    ...waysToMore(),
  ];
  const chosen = await asks.showQuickPick(items, {
    title: vscode.l10n.t('MCP Servers'),
    placeHolder: placeHolder(servers),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.run?.();
}

function placeHolder(servers: McpServers): string {
  if (!vscode.workspace.isTrusted) return vscode.l10n.t('In Restricted Mode no MCP server runs.');
  if (servers.list().length + servers.unasked.length === 0)
    return vscode.l10n.t('No MCP server is configured: .vscode/mcp.json names those of a folder.');
  return vscode.l10n.t('Servers start when a prompt needs them');
}

function unaskedItem(parts: PickParts, known: Known): Item {
  return {
    label: plainLabel(known.name),
    iconPath: new vscode.ThemeIcon('question'),
    description: vscode.l10n.t('waits for your yes'),
    detail: plainLabel(`${known.file}: ${commandOf(known.config)}`),
    run: () => askToStart(parts, known),
  };
}

/** Everything that will run is shown before it may; values of variables and headers may be secrets. */
async function askToStart({ servers }: PickParts, known: Known): Promise<void> {
  const start = vscode.l10n.t('Start');
  const chosen = await asks.showWarningMessage(
    vscode.l10n.t('Start the MCP server “{0}” that {1} names?', known.name, known.file),
    { modal: true, detail: details(known.config) },
    start,
  );
  if (chosen !== start) return;
  await servers.allow(known);
  await startNow(servers, known);
}

async function startNow(servers: McpServers, { id }: Known): Promise<void> {
  const entry = servers.list().find(({ known }) => known.id === id);
  if (entry !== undefined) said(entry.server, await entry.server.start());
}

/** That it wants a sign-in is told with the button for it. */
function said({ state }: Server, outcome: unknown): void {
  if (state.kind !== 'signed-out') unwrap(outcome);
}

function commandOf(config: ServerConfig): string {
  return config.type === 'stdio' ? [config.command, ...config.args].join(' ') : config.url;
}

function details(config: ServerConfig): string {
  const lines =
    config.type === 'stdio'
      ? [
          vscode.l10n.t('It runs on this machine, with your rights: {0}', commandOf(config)),
          ...(config.cwd === undefined ? [] : [vscode.l10n.t('Folder: {0}', config.cwd)]),
          ...named(vscode.l10n.t('Variables'), Object.keys(config.env)),
          ...(config.envFile === undefined ? [] : [vscode.l10n.t('More variables: {0}', config.envFile)]),
        ]
      : [
          vscode.l10n.t('It is reached over the network: {0}', config.url),
          ...named(vscode.l10n.t('Headers'), Object.keys(config.headers)),
        ];
  return [...lines, vscode.l10n.t('Each call of its tools is still asked about.')].join('\n');
}

const named = (what: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${what}: ${names.join(', ')}`];

function serverItem(parts: PickParts, known: Known, server: Server): Item {
  const { icon, words, detail } = stateOf(server);
  return {
    label: plainLabel(server.name),
    iconPath: new vscode.ThemeIcon(icon),
    description: words,
    detail: plainLabel(detail ?? `${known.file}: ${commandOf(known.config)}`),
    run: () => pickAction(parts, known, server),
  };
}

function stateOf(server: Server): { icon: string; words: string; detail?: string } {
  const { state, tools } = server;
  switch (state.kind) {
    case 'off':
      return { icon: 'circle-outline', words: vscode.l10n.t('starts with the next prompt') };
    case 'asking':
      return { icon: 'question', words: vscode.l10n.t('needs something from you') };
    case 'starting':
      return { icon: 'loading', words: vscode.l10n.t('starting') };
    case 'running':
      return { icon: 'pass', words: vscode.l10n.t('running · tools: {0}', tools.length) };
    case 'ended':
      return {
        icon: 'warning',
        words: vscode.l10n.t('ended; starts again when it is used'),
        detail: state.why,
      };
    case 'signed-out':
      return { icon: 'account', words: vscode.l10n.t('waits for you to sign in'), detail: state.why };
    case 'failed':
      return { icon: 'error', words: vscode.l10n.t('could not be started'), detail: state.why };
    case 'stopped':
      return { icon: 'circle-slash', words: vscode.l10n.t('stopped by you') };
  }
}

async function pickAction(
  { servers, forget, showLog, accounts }: PickParts,
  known: Known,
  server: Server,
): Promise<void> {
  const isOn = ['asking', 'starting', 'running'].includes(server.state.kind);
  const items: Item[] = [
    ...(await accountItems(accounts, known, server)),
    {
      label: isOn ? vscode.l10n.t('Restart') : vscode.l10n.t('Start'),
      iconPath: new vscode.ThemeIcon(isOn ? 'debug-restart' : 'play'),
      run: async () => said(server, await server.restart()),
    },
    ...(isOn
      ? [
          {
            label: vscode.l10n.t('Stop'),
            iconPath: new vscode.ThemeIcon('debug-stop'),
            run: () => server.stop(),
          },
        ]
      : []),
    {
      label: vscode.l10n.t('Show Log'),
      iconPath: new vscode.ThemeIcon('output'),
      run: () => {
        showLog();
        return Promise.resolve();
      },
    },
    ...(known.inputs.length === 0
      ? []
      : [
          {
            label: vscode.l10n.t('Ask Me Again for What It Needs'),
            iconPath: new vscode.ThemeIcon('key'),
            run: async () => {
              await forget(known);
              await server.stop();
              await startNow(servers, known);
            },
          },
        ]),
    ...server.tools.map(({ name, description }): Item => ({
      label: plainLabel(name),
      iconPath: new vscode.ThemeIcon('tools'),
      detail: plainLabel(description.split('\n')[0] ?? ''),
    })),
  ];
  const chosen = await asks.showQuickPick(items, {
    title: vscode.l10n.t('MCP server “{0}”', server.name),
    placeHolder: stateOf(server).words,
  });
  await chosen?.run?.();
}

/** Signing in is the person's; signing out takes what is kept of it away. */
async function accountItems(accounts: ServerAccounts, known: Known, server: Server): Promise<Item[]> {
  if (server.state.kind === 'signed-out') {
    const label = vscode.l10n.t('Sign In…');
    return [{ label, iconPath: new vscode.ThemeIcon('account'), run: () => accounts.signIn(known, server) }];
  }
  if (!(await accounts.isSignedIn(known))) return [];
  const label = vscode.l10n.t('Sign Out');
  return [{ label, iconPath: new vscode.ThemeIcon('sign-out'), run: () => accounts.signOut(known, server) }];
}

function waysToMore(): Item[] {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) return [];
  const file = vscode.Uri.joinPath(folder.uri, '.vscode', 'mcp.json');
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    {
      label: vscode.l10n.t('Open .vscode/mcp.json'),
      iconPath: new vscode.ThemeIcon('go-to-file'),
      run: () => openOrCreate(file),
    },
  ];
}

async function openOrCreate(file: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.stat(file);
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError) || error.code !== 'FileNotFound') throw error;
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('{\n  "servers": {}\n}\n'));
  }
  await vscode.window.showTextDocument(file);
}
