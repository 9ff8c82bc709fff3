/**
 * What somebody needs to find out why something does not work here, as a document that can be given away: versions,
 * storage, models, tools, MCP servers and the last failures. Without keys and without anything that was said.
 */
import os from 'node:os';
import * as vscode from 'vscode';
import { readProvider } from '../models/providers.js';
import type { SessionStore, SessionSummary } from '../log/store.js';
import { isFailure } from '../shared/failure.js';
import { stateLines, type Told } from './mcp/state-lines.js';
import type { HostModels } from './model/host-models.js';
import type { Output } from './output.js';

export interface DiagnosticParts {
  /** Where sessions are stored now. */
  root: string;
  store: Pick<SessionStore, 'list'>;
  models: Pick<HostModels, 'keys' | 'providers'>;
  /** The setting `bough.model`, and what the session on show has. */
  model: { setting: unknown; session: string | undefined };
  tools: () => readonly { spec: { name: string } }[];
  mcp: Told;
  output: Pick<Output, 'clean' | 'recent'>;
}

export async function showDiagnostics(parts: DiagnosticParts): Promise<void> {
  const content = await diagnosticsOf(parts);
  await vscode.window.showTextDocument(
    await vscode.workspace.openTextDocument({ language: 'markdown', content }),
  );
}

async function diagnosticsOf(parts: DiagnosticParts): Promise<string> {
  const sections = [
    '# Bough diagnostics',
    'Keys and what was said are left out; the last warnings may name files. Bough has no telemetry: nothing of this is sent anywhere unless you send it.',
    section('Versions', versions()),
    section('Workspace', workspace()),
    section('Storage', await storage(parts)),
    section('Models', await models(parts)),
    section('Tools', [
      parts
        .tools()
        .map(({ spec }) => `\`${spec.name}\``)
        .join(', '),
    ]),
    section('MCP servers', stateLines(parts.mcp)),
    section('Last warnings and errors', lastFailures(parts)),
  ];
  return parts.output.clean(`${sections.join('\n\n')}\n`.replaceAll(os.homedir(), '~'));
}

const section = (title: string, lines: readonly string[]): string =>
  `## ${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}`;

const versions = (): string[] => [
  `Bough ${versionOf(vscode.extensions.getExtension('bough.bough')?.packageJSON)}`,
  `${vscode.env.appName} ${vscode.version} (${vscode.env.appHost})`,
  `Node ${process.versions.node}`,
  `${os.type()} ${os.release()} ${os.arch()}`,
  `Remote: ${vscode.env.remoteName ?? 'no'}`,
];

const versionOf = (manifest: unknown): string =>
  typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'of unknown version';

const workspace = (): string[] => {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const schemes = [...new Set(folders.map(({ uri }) => uri.scheme))].join(', ');
  return [
    `Folders: ${String(folders.length)}${folders.length === 0 ? '' : ` (${schemes})`}`,
    `Trusted: ${vscode.workspace.isTrusted ? 'yes' : 'no'}`,
    `Proxy in VS Code's settings: ${isSet(vscode.workspace.getConfiguration('http').get('proxy')) ? 'yes' : 'no'}`,
  ];
};

const isSet = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** More than this is not looked at: it would take long, and says no more. */
const MOST_SESSIONS = 1_000;

async function storage({ root, store }: DiagnosticParts): Promise<string[]> {
  const sessions: SessionSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({
      archived: 'all',
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    sessions.push(...page.sessions);
    cursor = page.cursor;
  } while (cursor !== undefined && sessions.length < MOST_SESSIONS);
  const bytes = sessions.reduce((sum, { size }) => sum + size, 0);
  const largest = Math.max(0, ...sessions.map(({ size }) => size));
  const troubled = sessions.filter(({ status }) => ['damaged', 'unreadable', 'missing'].includes(status));
  return [
    `Place: ${root}`,
    `Sessions of this window: ${String(sessions.length)}${cursor === undefined ? '' : ' or more'}, ${inMegabytes(bytes)} in all, ${inMegabytes(largest)} the largest`,
    ...(troubled.length === 0
      ? ['Troubles: none']
      : troubled.map(({ id, status, size }) => `${id}: ${status}, ${inMegabytes(size)}`)),
  ];
}

const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(2)} MB`;

async function models({ models: { keys, providers }, model }: DiagnosticParts): Promise<string[]> {
  const lines = [`Setting: ${said(model.setting)}`, `This session: ${said(model.session)}`];
  for (const [name, settings] of Object.entries(providers())) {
    const provider = readProvider(name, settings);
    if (isFailure(provider)) {
      lines.push(`${name}: ${provider.message}`);
      continue;
    }
    const { kind, origin, models: listed } = provider;
    const bound = await keys.originOf(name);
    const key =
      bound === undefined ? 'no key' : bound === origin ? 'has a key' : `has a key, but for ${bound}`;
    const list =
      listed.length === 0 ? 'the server is asked for its models' : listed.map(({ id }) => id).join(', ');
    lines.push(`${name}: ${kind} at ${origin}, ${key}, ${list}`);
  }
  const offered = await vscode.lm.selectChatModels();
  lines.push(`Models of other extensions: ${String(offered.length)}`);
  return lines;
}

const said = (value: unknown): string => (isSet(value) ? `\`${String(value)}\`` : 'none');

function lastFailures({ output }: DiagnosticParts): readonly string[] {
  const recent = output.recent();
  return recent.length === 0 ? ['None since this window was opened.'] : recent;
}
