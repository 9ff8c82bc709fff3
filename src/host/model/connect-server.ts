/**
 * From an address to a model that answers: the person names a server that speaks the protocol of OpenAI, it is asked what
 * it has, and only what works is written into the settings.
 */
import * as vscode from 'vscode';
import { baseUrlOf } from '../../models/check.js';
import type { ModelChecks } from '../../models/registry.js';
import { isFailure, type Failure } from '../../shared/failure.js';
import { asks } from '../asks.js';
import { plainLabel } from '../labels.js';
import { changeProvider } from './check-choice.js';
import type { Keys } from './keys.js';

interface ConnectParts {
  models: ModelChecks;
  keys: Keys;
  /** Names in the setting `bough.providers`. */
  configured: () => readonly string[];
  /** Fixes the model of the session. */
  choose: (provider: string, id: string) => Promise<void>;
  /** There are models now that were not there before. */
  onKeys: () => void;
}

interface Found {
  baseUrl: string;
  ids: readonly string[];
  key: string | undefined;
}

export async function connectServer(parts: ConnectParts): Promise<void> {
  const found = await findServer(parts);
  if (found === undefined) return;
  const id = await pickModel(found.ids);
  if (id === undefined) return;
  const name = freeName(new URL(found.baseUrl), parts.configured());
  if (found.key !== undefined)
    await parts.keys.set(name, { origin: new URL(found.baseUrl).origin, key: found.key });
  await changeProvider(name, { kind: 'openai-compatible', baseUrl: found.baseUrl });
  parts.onKeys();
  await parts.choose(name, id);
}

/** Asks until a server answers or the person leaves it. */
async function findServer({ models }: ConnectParts): Promise<Found | undefined> {
  let address = 'http://127.0.0.1:';
  let key: string | undefined;
  let trouble: string | undefined;
  for (;;) {
    const given = await askAddress(address, trouble);
    if (given === undefined) return undefined;
    if (given !== address) key = undefined;
    address = given;
    let result = await tryServer(models, { baseUrl: given, key });
    // A key that is refused is asked for again, where what is typed is not shown.
    while (isFailure(result) && result.kind === 'auth') {
      key = await askKey(result.message);
      if (key === undefined) return undefined;
      result = await tryServer(models, { baseUrl: given, key });
    }
    if (!isFailure(result)) return result;
    trouble = result.message;
  }
}

async function tryServer(
  models: ModelChecks,
  { baseUrl, key }: { baseUrl: string; key: string | undefined },
): Promise<Found | Failure> {
  const { found, elsewhere } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Asking {0}…', baseUrl) },
    () => models.checkAddress(baseUrl, key),
  );
  if (elsewhere !== undefined) return tryServer(models, { baseUrl: elsewhere, key });
  if (isFailure(found)) return found;
  if (found.length > 0) return { baseUrl, ids: found, key };
  const message = vscode.l10n.t('{0} answers, but has no model loaded. Load one there.', baseUrl);
  return { kind: 'refused', message, transient: false };
}

async function askAddress(value: string, trouble: string | undefined): Promise<string | undefined> {
  const given = await asks.showInputBox({
    title: vscode.l10n.t('Connect to a Server'),
    prompt:
      trouble ??
      vscode.l10n.t(
        'Where a server answers that speaks the chat completions of OpenAI, for example {0}',
        EXAMPLE,
      ),
    placeHolder: EXAMPLE,
    value,
    valueSelection: [value.length, value.length],
    ignoreFocusOut: true,
    validateInput: (text) =>
      baseUrlOf(text) === undefined ? vscode.l10n.t('This is no address, like {0}', EXAMPLE) : undefined,
  });
  return given === undefined ? undefined : baseUrlOf(given);
}

const EXAMPLE = 'http://127.0.0.1:1234/v1';

const askKey = (prompt: string): Thenable<string | undefined> =>
  asks.showInputBox({
    title: vscode.l10n.t('API Key'),
    prompt,
    password: true,
    ignoreFocusOut: true,
  });

async function pickModel(ids: readonly string[]): Promise<string | undefined> {
  if (ids.length === 1) return ids[0];
  const items = ids.map((id) => ({ label: plainLabel(id), id }));
  const title = vscode.l10n.t('Select Model');
  return (await asks.showQuickPick(items, { title, ignoreFocusOut: true }))?.id;
}

function freeName({ hostname, port }: URL, taken: readonly string[]): string {
  const isHere = /^(127\.|localhost$|\[::1\]$)/.test(hostname);
  const base = isHere ? 'local' : hostname.replace(/^(www|api)\./, '');
  const names = [base, ...(port === '' ? [] : [`${base}-${port}`])];
  const free = names.find((name) => !taken.includes(name));
  if (free !== undefined) return free;
  for (let number = 2; ; number += 1) if (!taken.includes(`${base}-${number}`)) return `${base}-${number}`;
}
