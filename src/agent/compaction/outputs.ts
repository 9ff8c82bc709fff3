/**
 * Makes room without asking a model: what tools gave so far is told by its length and the way to read it. For a
 * conversation that is too long even for the request of a summary.
 */
import { isFailure, type Failure } from '../../shared/failure.js';
import { closingOf, continueTurn, mayMove } from '../branches.js';
import { tellPath } from '../context/select.js';
import { toldLine } from '../context/told-line.js';
import { underLease, wantedModel, type Core } from '../core.js';
import { refused } from '../failures.js';
import { lastTurn } from '../last-turn.js';
import { closed } from '../recover.js';
import type { Done, ExpectedHead } from '../refusals.js';
import { asEntry, tokensOf, type Body } from './compact.js';

/** In the gate. The turn at the end of the line goes on with it when it failed. */
export async function leaveOutOutputs(core: Core, expected: ExpectedHead): Promise<Done | Failure> {
  const done = await underLease(core, async () => mayMove(core, expected) ?? (await write(core)));
  if (isFailure(done)) return done;
  const last = await lastTurn(core);
  if (last?.end?.status !== 'failed') return done;
  const went = await continueTurn(core, core.log.head);
  return isFailure(went) ? went : done;
}

async function write(core: Core): Promise<Done | Failure> {
  const model = await core.parts.models.resolve(wantedModel(core));
  if (isFailure(model)) return model;
  const line = await toldLine(core.log);
  const { compacted } = tellPath(line);
  const [first] = core.log.nodes();
  if (first === undefined) return nothingToLeaveOut();
  const body: Body = {
    type: 'compaction',
    kind: 'prune',
    without_outputs: true,
    summary: compacted?.summary ?? '',
    first_kept_entry_id: compacted?.first_kept_entry_id ?? first[0],
    tokens_before: await tokensOf(core, line, model.info),
    tokens_after: 0,
    ...(compacted?.read_files === undefined ? {} : { read_files: compacted.read_files }),
    ...(compacted?.modified_files === undefined ? {} : { modified_files: compacted.modified_files }),
  };
  body.tokens_after = await tokensOf(core, [...line, { entry: asEntry(core, body) }], model.info);
  if (body.tokens_after >= body.tokens_before) return nothingToLeaveOut();
  const closing = await closingOf(core);
  if (closing.length > 0) {
    await core.append(closing);
    await closed(core);
  }
  const [written] = await core.append([body], { expectedHead: core.log.head });
  core.failure = null;
  core.announce();
  return written === undefined ? {} : { entry_id: written.id };
}

const nothingToLeaveOut = (): Failure =>
  refused(
    'NothingToLeaveOut',
    'There are no long tool outputs here that the model is still told. Choose a model with a larger window, or branch from an earlier message.',
  );
