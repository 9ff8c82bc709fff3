/**
 * What may run without a card, as the session itself says it along the path. One note holds the mode and the rules that
 * were given for the session, so that both come back after a reload or neither does.
 */
import * as z from 'zod';

/**
 * From the most careful to the least. `read_only` is the mode to plan in; `auto` never asks: what neither it nor a rule
 * lets run is refused.
 */
export const approvalModes = ['read_only', 'ask', 'accept_edits', 'auto'] as const;
export type ApprovalMode = (typeof approvalModes)[number];

const schema = z.object({
  mode: z.enum(approvalModes),
  rules: z.array(z.object({ tool: z.string().min(1), pattern: z.string().min(1) })),
});
export type ApprovalState = z.infer<typeof schema>;
export type SessionRule = ApprovalState['rules'][number];

/** `ext_type` of the `extension_data` note. */
export const APPROVAL_STATE = 'bough.approvals';

export const askFirst: ApprovalState = { mode: 'ask', rules: [] };

/** What cannot be read allows nothing. */
export function readApprovalState(data: unknown): ApprovalState {
  const read = schema.safeParse(data);
  return read.success ? read.data : { mode: 'read_only', rules: [] };
}

export const isMoreCareful = (mode: ApprovalMode, than: ApprovalMode): boolean =>
  approvalModes.indexOf(mode) < approvalModes.indexOf(than);
