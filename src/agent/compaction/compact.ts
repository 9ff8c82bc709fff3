/**
 * A compaction as a transaction: an entry is appended only when the whole summary is there and what the model is told
 * becomes smaller by it; otherwise nothing has changed and the reason is given. The path itself keeps all it had.
 */
import type { Model, ModelInfo } from '../../ports.js';
import type { Compaction } from '../../shared/entry.js';
import { isFailure, type Failure } from '../../shared/failure.js';
import type { Entry } from '../../shared/notes.js';
import { buildContext, wantedBlobs } from '../context.js';
import type { Line } from '../context/select.js';
import { toldLine } from '../context/told-line.js';
import { sizeOfFrame, sizeOfMessage } from '../context/tokens.js';
import type { Core, Run } from '../core.js';
import { refused } from '../failures.js';
import { frameOf, readBlobs } from '../request.js';
import { cutLine, type Cut } from './cut.js';
import { summarise, type Summary } from './summarise.js';
import { fitting, touchedFiles } from './transcript.js';

export interface CompactionRequest {
  model: Model;
  focus?: string | undefined;
}

export type Body = Omit<Compaction, 'id' | 'parent_id' | 'timestamp'>;

/** The compaction as it stands in the log, or why there is none. The caller holds the lease. */
export async function compact(
  core: Core,
  run: Run,
  { model, focus }: CompactionRequest,
): Promise<Entry | Failure> {
  const line = await toldLine(core.log);
  const cut = cutFor(line, model.info, core.parts.settings().keepRecentTokens);
  if (cut === null) return nothingToCompact();
  const summaries = await summariesOf(core, run, { model, focus }, cut);
  if (isFailure(summaries)) return summaries;
  const said = [...cut.older, ...cut.begun];
  const files = touchedFiles(said, cut.previous);
  const body: Body = {
    type: 'compaction',
    kind: 'summary',
    turn_id: run.turn_id,
    summary: summaries.text,
    first_kept_entry_id: cut.first_kept_entry_id,
    tokens_before: await tokensOf(core, line, model.info),
    tokens_after: 0,
    ...(files.read.length === 0 ? {} : { read_files: files.read }),
    ...(files.modified.length === 0 ? {} : { modified_files: files.modified }),
    ...(focus === undefined || focus.trim() === '' ? {} : { focus: focus.trim() }),
  };
  body.tokens_after = await tokensOf(core, [...line, { entry: asEntry(core, body) }], model.info);
  if (body.tokens_after >= body.tokens_before) {
    await core.append(summaries.usage);
    return didNotShrink(body);
  }
  const [written] = await core.append([body, ...summaries.usage], { expectedHead: core.log.head });
  return written ?? nothingToCompact();
}

/** Only to measure with: it is not in the log. */
export const asEntry = (core: Core, body: Body): Compaction => ({
  ...body,
  id: core.parts.ids.entry(),
  parent_id: core.log.head,
  timestamp: '',
});

/** Keeps less where the usual would leave nothing to summarise, and never more than a third of the window. */
function cutFor(line: Line, { contextWindow }: ModelInfo, keepRecentTokens: number): Cut | null {
  const keep = contextWindow === undefined ? keepRecentTokens : Math.min(keepRecentTokens, contextWindow / 3);
  for (const share of [1, 0.25, 0]) {
    const cut = cutLine(line, keep * share);
    if (cut !== null) return cut;
  }
  return null;
}

async function summariesOf(
  core: Core,
  run: Run,
  { model, focus }: CompactionRequest,
  cut: Cut,
): Promise<Summary | Failure> {
  const texts: string[] = [];
  const usage: Summary['usage'] = [];
  const previous = cut.previous?.summary || undefined;
  if (cut.older.length > 0) {
    const task = {
      kind: 'whole' as const,
      transcript: fitting(cut.older, model.info, previous),
      previous,
      focus,
    };
    const whole = await summarise(core, run, { model, task });
    if (isFailure(whole)) return whole;
    texts.push(whole.text);
    usage.push(...whole.usage);
  } else if (previous !== undefined) texts.push(previous);
  if (cut.begun.length > 0) {
    const task = { kind: 'begun' as const, transcript: fitting(cut.begun, model.info), focus };
    const begun = await summarise(core, run, { model, task });
    if (isFailure(begun)) return begun;
    texts.push(`## The turn under way, up to here\n\n${begun.text}`);
    usage.push(...begun.usage);
  }
  return { text: texts.join('\n\n'), usage };
}

/** By what a compaction counts, for whom no server tells a number; which model it is makes little difference to that. */
export async function estimateLine(core: Core): Promise<number> {
  return tokensOf(core, await toldLine(core.log), { provider: '', id: '', label: '' });
}

/** What the model would be told, with nothing left out to make it fit. */
export async function tokensOf(core: Core, line: Line, model: ModelInfo): Promise<number> {
  const { contextWindow: _window, ...unlimited } = model;
  const frame = await frameOf(core);
  const { request } = buildContext(line, unlimited, {
    ...frame,
    toldBytes: core.parts.settings().offloadBytes,
    openCalls: core.log.state().open_calls,
    blobs: await readBlobs(core, wantedBlobs(line, unlimited)),
  });
  const messages = request.messages.reduce((sum, message) => sum + sizeOfMessage(message).tokens, 0);
  return sizeOfFrame(request.system, request.tools).tokens + messages;
}

const nothingToCompact = (): Failure =>
  refused('NothingToCompact', 'There is nothing to summarise yet: the conversation is one exchange long.');

const didNotShrink = ({ tokens_before, tokens_after }: Body): Failure =>
  refused(
    'DidNotShrink',
    `The summary would not have made the conversation shorter (${String(tokens_before)} tokens before, ${String(tokens_after)} after), so it was not used.`,
  );
