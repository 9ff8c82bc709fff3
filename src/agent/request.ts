/** Asks the request builder for what is sent now: the system prompt as things stand, and the path with its blobs. */
import type { ModelInfo, ModelRequest } from '../ports.js';
import { isBoughError, type Failure } from '../shared/failure.js';
import { buildContext, wantedBlobs, type Context } from './context.js';
import type { Core } from './core.js';
import { promptHash, systemPrompt } from './prompt.js';

export interface PreparedRequest {
  request: ModelRequest;
  /** SHA-256 of the system prompt. */
  promptHash: string;
}

export async function requestFor(core: Core, model: ModelInfo): Promise<PreparedRequest | Failure> {
  const { workspace, tools, surroundings } = core.parts;
  const system = systemPrompt({
    surroundings: await surroundings(),
    folders: workspace.folders(),
    tools,
    trusted: workspace.trusted,
    mode: core.log.state().approval.mode,
  });
  const line = await core.log.line();
  const { request, fits, trimmed } = buildContext(line, model, {
    system,
    tools: tools.map((tool) => tool.spec),
    openCalls: core.log.state().open_calls,
    blobs: await readBlobs(core, wantedBlobs(line, model)),
  });
  if (!fits) return tooLong(model);
  tellTrimmed(core, trimmed);
  return { request, promptHash: promptHash(system) };
}

/** Those that cannot be read are left out: the request says so in their place. */
async function readBlobs(core: Core, hashes: readonly string[]): Promise<Map<string, Uint8Array>> {
  const blobs = new Map<string, Uint8Array>();
  for (const hash of hashes) {
    try {
      blobs.set(hash, await core.log.blobs.get(hash));
    } catch (error) {
      if (!isBoughError(error)) throw error;
      core.parts.log('warn', `a request goes without a blob: ${error.message}`);
    }
  }
  return blobs;
}

const tooLong = (model: ModelInfo): Failure => ({
  kind: 'overflow',
  code: 'ContextOverflow',
  message: `The conversation is too long for ${model.label}. Choose a model with a larger window, or branch from an earlier message.`,
  transient: false,
  action: 'select-model',
});

function tellTrimmed(core: Core, { results, images, messages }: Context['trimmed']): void {
  if (results + images + messages === 0) return;
  core.parts.log(
    'info',
    `the request was shortened to fit: ${String(results)} results, ${String(images)} images, ${String(messages)} messages`,
  );
}
