/** Asks the request builder for what is sent now: the system prompt as things stand, and the path with its blobs. */
import type { ModelInfo, ModelRequest, ToolSpec } from '../ports.js';
import { isBoughError, type Failure } from '../shared/failure.js';
import { buildContext, wantedBlobs, type Context } from './context.js';
import type { SentImage } from './context/attachments.js';
import { withOpaque } from './context/opaque.js';
import { toldLine } from './context/told-line.js';
import type { Core } from './core.js';
import type { Around } from './guidance.js';
import { approvalOf } from './mode.js';
import { promptHash, systemPrompt } from './prompt.js';
import { SKILL_TOOL } from './skills.js';

export interface PreparedRequest {
  request: ModelRequest;
  /** SHA-256 of the system prompt. */
  promptHash: string;
  /** Something was shortened or left out to make it fit. */
  isTrimmed: boolean;
  /** Those in it, oldest first. */
  images: SentImage[];
}

/** What stands around every request: the system prompt as things stand, and the tools. */
export async function frameOf(core: Core): Promise<{ system: string; tools: ToolSpec[] }> {
  const { workspace } = core.parts;
  const { skills, ...around } = await look(core);
  const forModel = skills.filter(({ isForModel }) => isForModel);
  // What has nothing to load is not offered.
  const tools = core.parts.tools.filter(({ spec }) => spec.name !== SKILL_TOOL || forModel.length > 0);
  const system = systemPrompt({
    ...around,
    skills: forModel,
    folders: workspace.folders(),
    tools,
    trusted: workspace.trusted,
    mode: approvalOf(core).mode,
  });
  return { system, tools: tools.map((tool) => tool.spec) };
}

/** Who shows what goes along is told when it is something else. */
async function look(core: Core): Promise<Around> {
  const before = core.guidance.sent;
  const around = await core.guidance.look(() => core.log.line(), core.run?.turn_id);
  if (JSON.stringify(before) !== JSON.stringify(core.guidance.sent)) core.announce();
  return around;
}

export async function lookAround(core: Core): Promise<void> {
  await look(core);
}

/** `withoutImages`: blobs of those that its server did not accept. */
export async function requestFor(
  core: Core,
  model: ModelInfo,
  withoutImages: ReadonlySet<string>,
): Promise<PreparedRequest | Failure> {
  await core.parts.toolsReady?.();
  const line = await withOpaque(await toldLine(core.log), (hashes) => readBlobs(core, hashes));
  const frame = await frameOf(core);
  const { request, fits, trimmed, images } = buildContext(line, model, {
    ...frame,
    withoutImages,
    toldBytes: core.parts.settings().offloadBytes,
    openCalls: core.log.state().open_calls,
    blobs: await readBlobs(core, wantedBlobs(line, model)),
  });
  if (!fits) return tooLong(model);
  tellTrimmed(core, trimmed);
  const isTrimmed = trimmed.results + trimmed.images + trimmed.messages > 0;
  return { request, promptHash: promptHash(frame.system), isTrimmed, images };
}

/** Those that cannot be read are left out: the request says so in their place. */
export async function readBlobs(core: Core, hashes: readonly string[]): Promise<Map<string, Uint8Array>> {
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
  message: `The conversation is too long for ${model.label}. Choose a model with a larger window, leave out what tools gave so far, or branch from an earlier message.`,
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
