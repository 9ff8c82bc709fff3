/**
 * The offer to let the files follow, after another line was shown: which of them that line has otherwise. It waits for the
 * person, asks nothing, and goes when something else is said or when the files fit.
 */
import type { AgentSession } from '../../agent/types.js';
import type { Disposable } from '../../ports.js';
import type { FilesView } from '../../shared/protocol.js';
import { createBag } from '../disposables.js';

/** How many are named. */
const NAMED = 20;

export class FilesOffer implements Disposable {
  private readonly bag = createBag();
  private offered: FilesView | null = null;
  private round = 0;

  constructor(
    private readonly agent: AgentSession,
    private readonly onChange: () => void,
    private readonly onError: (error: unknown) => void,
  ) {
    this.bag.add(agent.on(({ type }) => (type === 'line' ? this.lookSoon() : undefined)));
    this.bag.add(
      agent.log.onAppend((placed) => {
        if (placed.some(({ entry }) => entry.type === 'message' && entry.role === 'user')) this.drop();
        else if (this.offered !== null && placed.some(({ entry }) => entry.type === 'files_changed'))
          this.lookSoon();
      }),
    );
  }

  get view(): FilesView | null {
    return this.offered;
  }

  /** The person keeps the files as they are. */
  drop(): void {
    this.round += 1;
    this.set(null);
  }

  dispose(): void {
    this.round += 1;
    this.bag.dispose();
  }

  private lookSoon(): void {
    this.look().catch(this.onError);
  }

  private async look(): Promise<void> {
    const round = ++this.round;
    const differences = await this.agent.fileDifferences();
    // A later question has the later answer.
    if (round !== this.round) return;
    const files = differences.filter(({ isOfLine }) => isOfLine);
    this.set(
      files.length === 0
        ? null
        : {
            count: files.length,
            names: files.slice(0, NAMED).map(({ path }) => path),
            changed: files.filter(({ isChangedSince }) => isChangedSince).length,
          },
    );
  }

  private set(offered: FilesView | null): void {
    if (offered === null && this.offered === null) return;
    this.offered = offered;
    this.onChange();
  }
}
