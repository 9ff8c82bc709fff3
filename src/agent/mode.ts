/** The mode of a session: what runs without a card. A note on the path holds it; going elsewhere never loosens it. */
import {
  APPROVAL_STATE,
  askFirst,
  isMoreCareful,
  type ApprovalMode,
  type ApprovalState,
  type SessionRule,
} from '../shared/approval-state.js';
import type { Failure } from '../shared/failure.js';
import { NO_RULE_RESULT, READ_ONLY_RESULT } from '../shared/fold/stand-in.js';
import type { Draft } from '../shared/notes.js';
import type { Prepared } from '../ports.js';
import { underLease, type Core } from './core.js';
import { makesThingsRun } from './files-that-run.js';
import { refused } from './failures.js';
import type { Done } from './refusals.js';

const approvalNote = (state: ApprovalState): Draft => ({
  type: 'extension_data',
  ext_type: APPROVAL_STATE,
  data: state,
});

/** What is in force. A log that comes from elsewhere may say what it wants: it can forbid, but not allow. */
export function approvalOf(core: Core): ApprovalState {
  const { approval } = core.log.state();
  if (core.parts.isForeign !== true) return approval;
  return isMoreCareful('ask', approval.mode) ? askFirst : { mode: approval.mode, rules: [] };
}

/** In the gate. */
export function setMode(core: Core, mode: ApprovalMode): Promise<Done | Failure> {
  if (core.parts.isForeign === true && isMoreCareful('ask', mode)) return Promise.resolve(foreign());
  return underLease(core, async () => {
    const approval = approvalOf(core);
    if (approval.mode !== mode) await core.append([approvalNote({ ...approval, mode })]);
    return {};
  });
}

/** What remembers a rule given for this session; nothing when it is known. */
export function ruleDraft(core: Core, rule: SessionRule): Draft[] {
  const approval = approvalOf(core);
  const isKnown = approval.rules.some(({ tool, pattern }) => tool === rule.tool && pattern === rule.pattern);
  return isKnown ? [] : [approvalNote({ ...approval, rules: [...approval.rules, rule] })];
}

/** Moves the head. A line that was left in a freer mode is entered in the one in force. */
export function headTo(core: Core, entry_id: string | null): Draft[] {
  const { mode } = approvalOf(core);
  const there = core.log.state(entry_id).approval;
  const isFreer = isMoreCareful(mode, there.mode);
  return [{ type: 'head', entry_id }, ...(isFreer ? [approvalNote({ ...there, mode })] : [])];
}

/** Whether the mode, or a rule, lets it run without a card. What only looks always may. */
export function runsUnasked(core: Core, prepared: Prepared): boolean {
  if (prepared.isAlwaysAsked === true) return false;
  if (prepared.risk === 'read') return true;
  const { mode, rules } = approvalOf(core);
  if (mode === 'read_only') return false;
  const mayEdit = mode === 'accept_edits' || mode === 'auto';
  return (mayEdit && isPlainEdit(prepared)) || core.parts.rules.allows(prepared, rules);
}

/** Changes known files only, and none that makes something run by being there. */
const isPlainEdit = ({ risk, targets }: Prepared): boolean =>
  risk === 'write' && targets.length > 0 && !targets.some(({ path }) => makesThingsRun(path));

export const isForbidden = (core: Core, { risk }: Prepared): boolean =>
  risk !== 'read' && approvalOf(core).mode === 'read_only';

/** What the model is told of a call that neither runs nor is asked about in this mode; null when it may be asked about. */
export function refusalIn(core: Core, prepared: Prepared): string | null {
  if (isForbidden(core, prepared)) return READ_ONLY_RESULT;
  return approvalOf(core).mode === 'auto' && !runsUnasked(core, prepared) ? NO_RULE_RESULT : null;
}

const foreign = (): Failure =>
  refused(
    'ForeignLog',
    "This log lies outside Bough's own folder: everything in it is asked about. Fork it to go on in a session of this folder.",
  );

export const readOnlyMode = (): Failure =>
  refused(
    'ReadOnlyMode',
    'This session is in read-only mode: nothing is changed and no command is run. Switch the mode below first, or deny the call.',
  );
