/** Models as this window has them: the settings, keys from secret storage, other extensions' models, local servers, the demo. */
import * as vscode from 'vscode';
import { createModels, type ModelChecks } from '../../models/registry.js';
import { readProvider } from '../../models/providers.js';
import type { Clock, Models } from '../../ports.js';
import { isFailure } from '../../shared/failure.js';
import { createBag, createSignal } from '../disposables.js';
import type { Output } from '../output.js';
import { Keys } from './keys.js';
import { createLmSource } from './lm.js';
import { moveSecrets, type MoveReport } from './settings-secrets.js';
import type { ReadSetting } from './settings.js';

export interface HostModels extends vscode.Disposable {
  models: Models & ModelChecks;
  keys: Keys;
  /** The setting `bough.providers`, with the secret headers that were moved out of it. */
  providers: () => Readonly<Record<string, unknown>>;
  /** A session's model may be another one now, or can be had again. */
  onChange: (listener: () => void) => { dispose(): void };
  changed: () => void;
  /** Loads what is stored and moves secrets out of the settings. */
  start: () => Promise<void>;
}

export interface HostModelsParts {
  secrets: vscode.SecretStorage;
  readSetting: ReadSetting;
  clock: Clock;
  output: Output;
  onMoved: (report: MoveReport) => void;
}

export function createHostModels(parts: HostModelsParts): HostModels {
  const { secrets, readSetting, output } = parts;
  const bag = createBag();
  const signal = createSignal<void>(output.bug);
  const keys = new Keys(secrets, output.hide, (error) =>
    output.log('warn', `The stored keys cannot be read: ${String(error)}`),
  );
  const configured = () => asRecord(readSetting('providers'));
  const providers = () =>
    Object.fromEntries(
      Object.entries(configured()).map(([name, settings]) => [name, withHeaders(keys, name, settings)]),
    );
  const move = async () => {
    const report = await moveSecrets(keys);
    await Promise.all(Object.keys(configured()).map((name) => keys.load(name)));
    if (report.moved.length > 0 || report.left.length > 0) parts.onMoved(report);
  };
  // What is moved changes secrets and settings, which is a reason to look again: but not before it is done.
  let last: Promise<void> = Promise.resolve();
  const start = (): Promise<void> => (last = last.then(move, move));
  const restart = () => {
    start().then(() => signal.fire(), output.bug);
  };
  bag.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (['bough.providers', 'bough.model'].some((name) => event.affectsConfiguration(name))) restart();
    }),
  );
  bag.add(secrets.onDidChange(restart));
  bag.add(vscode.lm.onDidChangeChatModels(() => signal.fire()));
  return {
    models: modelsOf(parts, keys, providers),
    ...{ keys, providers, start },
    onChange: (listener) => signal.on(listener),
    changed: () => signal.fire(),
    dispose: () => bag.dispose(),
  };
}

function modelsOf(
  { clock, output }: HostModelsParts,
  keys: Keys,
  providers: HostModels['providers'],
): Models & ModelChecks {
  return createModels({
    providers,
    key: (provider, origin) => keys.key(provider, origin),
    fetch: (...args) => globalThis.fetch(...args),
    clock,
    extra: [createLmSource((text) => output.log('debug', text))],
    log: output.log,
  });
}

/** Headers that carried a secret are sent as before, but only to the origin they were given for. */
function withHeaders(keys: Keys, name: string, settings: unknown): unknown {
  const provider = readProvider(name, settings);
  if (isFailure(provider)) return settings;
  const secret = keys.headers(name, provider.origin);
  return Object.keys(secret).length === 0
    ? settings
    : { ...asRecord(settings), headers: { ...provider.headers, ...secret } };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
