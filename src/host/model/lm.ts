/** Models that other extensions offer through VS Code, as models of the provider `vscode`: `vscode/<vendor>/<id>`. */
import * as vscode from 'vscode';
import type { Model, ModelInfo, ModelRequest, Outcome } from '../../ports.js';
import type { Failure } from '../../shared/failure.js';
import { lmAttempt, lmMessages, type LmMessage, type LmPart } from './lm-attempt.js';

export const LM_PROVIDER = 'vscode';

export interface LmSource {
  readonly provider: string;
  list(): Promise<ModelInfo[]>;
  /** `id` is `<vendor>/<id>`. */
  resolve(id: string): Promise<Outcome<Model>>;
}

export function createLmSource(log: (text: string) => void): LmSource {
  return {
    provider: LM_PROVIDER,
    async list() {
      const found = await vscode.lm.selectChatModels();
      return found.map(infoOf);
    },
    async resolve(id) {
      const slash = id.indexOf('/');
      const selector = { vendor: id.slice(0, Math.max(0, slash)), id: id.slice(slash + 1) };
      const [found] = slash > 0 ? await vscode.lm.selectChatModels(selector) : [];
      return found ? asModel(found, log) : notThere(id);
    },
  };
}

function infoOf(model: vscode.LanguageModelChat): ModelInfo {
  return {
    provider: LM_PROVIDER,
    id: `${model.vendor}/${model.id}`,
    label: `${model.name} (${model.vendor})`,
    contextWindow: model.maxInputTokens,
    images: false,
    tools: true,
  };
}

function asModel(model: vscode.LanguageModelChat, log: (text: string) => void): Model {
  const info = infoOf(model);
  return {
    info,
    attempt: (request, { signal, onBytes }) =>
      lmAttempt({
        send: () => send(model, request, signal),
        isText: (part) => part instanceof vscode.LanguageModelTextPart,
        label: info.label,
        signal,
        onBytes,
        onUnknown: (what) => log(`${info.label} sent a part that Bough cannot use: ${what}`),
      }),
  };
}

async function send(model: vscode.LanguageModelChat, request: ModelRequest, signal: AbortSignal) {
  const source = new vscode.CancellationTokenSource();
  const stop = () => source.cancel();
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  const tools = request.tools.map(({ name, description, input_schema }) => ({
    name,
    description,
    inputSchema: input_schema,
  }));
  const response = await model.sendRequest(
    lmMessages(request).map(asMessage),
    { tools, justification },
    source.token,
  );
  return { stream: endingWith(response.stream, () => signal.removeEventListener('abort', stop)) };
}

const justification = 'Bough answers your prompt with this model.';

async function* endingWith(
  stream: AsyncIterable<unknown>,
  end: () => void,
): AsyncGenerator<unknown, void, undefined> {
  try {
    yield* stream;
  } finally {
    end();
  }
}

function asMessage({ role, parts }: LmMessage): vscode.LanguageModelChatMessage {
  const { Assistant, User } = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(role === 'assistant' ? Assistant : User, parts.map(asPart));
}

function asPart(
  part: LmPart,
): vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart | vscode.LanguageModelToolResultPart {
  switch (part.type) {
    case 'text':
      return new vscode.LanguageModelTextPart(part.text);
    case 'call':
      return new vscode.LanguageModelToolCallPart(part.call_id, part.name, part.input);
    case 'result':
      return new vscode.LanguageModelToolResultPart(part.call_id, [
        new vscode.LanguageModelTextPart(part.content),
      ]);
  }
}

function notThere(id: string): Failure {
  return {
    kind: 'refused',
    message: `VS Code offers no model ${LM_PROVIDER}/${id} now. The extension that brings it may be off or still starting; choose another model or try again.`,
    transient: false,
    code: 'NotFound',
    action: 'select-model',
  };
}
