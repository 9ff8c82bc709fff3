/** What looking after a store's sessions is asked for and reports. Types only. */

/** Ages in milliseconds. Zero or absent deletes nothing of its kind; a negative one is an error before anything is deleted. */
export interface PrunePolicy {
  /** Sessions that nothing was written to for as long. */
  sessionIdle?: number;
  /** Goals that were completed as long ago: their blobs go, and a `goal_update` says `pruned`. */
  completedGoalAge?: number;
  /** Blobs that no entry of their session names, and side files of no session, that are as old. */
  detachedResultAge?: number;
}

export interface PruneOptions {
  /** Reports what would go, with its size, and changes nothing. */
  dryRun?: boolean;
  /** Sessions that are in use where they are open: they stay, however old they are. */
  isOpen?: (id: string) => boolean;
  /** Only what belongs to this owner's sessions. */
  owner?: string;
  signal?: AbortSignal;
}

/** Only what was deleted for itself, sessions to the trash: what goes along with a session is in its bytes and counted nowhere else. */
export interface PruneReport {
  sessions: { id: string; title: string; updated: number; bytes: number }[];
  goals: { session: string; goal_id: string; bytes: number }[];
  results: { session: string; file: string; bytes: number }[];
  /** Of all the above. */
  bytes: number;
  /** What was old enough and stays all the same, with the reason: open, in use, waiting for an approval, carrying a goal, of a newer format, unreadable. */
  kept: { session: string; reason: string }[];
  /** How many stored texts and side files nobody names but are not old enough yet; absent when there is none. */
  young?: number;
}

export interface VerifyOptions {
  /** Also mends what can be mended without losing a byte; each report says in `repaired` what was done. */
  repair?: boolean;
  signal?: AbortSignal;
}

/** What a look at one log's every byte came to. */
export interface LogReport {
  id: string;
  title: string;
  /** Absolute path of the log; undefined where sessions are in no file. */
  file: string | undefined;
  lines: number;
  entries: number;
  bytes: number;
  /** As the session itself reports it. */
  damage: { kind: string; line: number; reason: string; ids?: string }[];
  /** Why it cannot be read at all. */
  unreadable?: string;
  /** Blobs that an entry names and that are not there, or are not what their name says. */
  missingBlobs: { hash: string; reason: string }[];
  /** None of its lines is one of a session: it is never written to. */
  isForeign?: true;
  /** It is of a newer format, of which nobody here can say whether it is in order; why, in words. */
  newer?: string;
  /** How many things `repair` would mend; absent when there is none. */
  mendable?: number;
  /** What was mended, in words; all else the report says is as it stands after that. */
  repaired: string[];
  /** Why what could have been mended was not. */
  unmended?: string;
}

export interface VerifyReport {
  /** The folder that was looked at, where there is one. */
  folder: string | undefined;
  logs: LogReport[];
  /** Absolute paths of side files whose session is not there. */
  orphans: string[];
  /** Absolute paths of what a process left behind that died while it wrote. */
  strayFiles: string[];
  /** Done for the folder as a whole, in words. */
  repaired: string[];
}
