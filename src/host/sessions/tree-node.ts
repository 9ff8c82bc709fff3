/** What the list of sessions consists of. */
import type { SessionSummary } from '../../log/store.js';
import type { Branch } from './branches.js';
import type { GroupName } from './rows.js';

export type TreeNode =
  | { kind: 'group'; name: GroupName; rows: TreeNode[] }
  | { kind: 'session'; summary: SessionSummary }
  | { kind: 'branch'; session: string; branch: Branch }
  /** More sessions, or more branches of one. */
  | { kind: 'more'; count: number; session?: string }
  /** Nothing is as the filter wants it. */
  | { kind: 'none' }
  /** Why sessions are not in the list. */
  | { kind: 'failing'; messages: readonly string[] };
