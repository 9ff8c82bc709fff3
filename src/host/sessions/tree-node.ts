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
  /** Of so many rows the logs are not read, since reading them was stopped. */
  | { kind: 'unread'; count: number }
  /** Why sessions are not in the list. */
  | { kind: 'failing'; messages: readonly string[] };
