/**
 * What one view is sent of the session it shows: a snapshot when it opens, then what is appended, what streams (in
 * batches) and the status, so that it stands where the log stands. Remembers nothing that a snapshot would not bring again.
 */
import type { AgentEvent, AgentSession } from '../../agent/types.js';
import type { PlacedEntry } from '../../log/store.js';
import type { Clock, Disposable } from '../../ports.js';
import type { Snapshot, StatusView, ToWebview } from '../../shared/protocol.js';
import { createBag } from '../disposables.js';
import { failureOf } from '../errors.js';
import { Arrivals } from './arrivals.js';
import { Growth } from './growth.js';
import { Fitted } from './fitted.js';
import { buildAppended, buildSnapshot, followsOn } from './snapshot.js';

/** How long what streams is gathered before it is sent. */
const BATCH_MS = 30;
/** After a snapshot that could not be made another is tried, ever later, for as long as the view is there. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

/** What a view needs to know about the session it shows, beside the agent itself. */
export interface ShownSession {
  agent: AgentSession;
  isEphemeral: boolean;
  title: () => string;
  status: () => StatusView;
  /** Title or status may have changed for a reason the agent does not tell (settings, model, notices, name). */
  onChange: (listener: () => void) => Disposable;
}

export interface FeedParts {
  post: (message: ToWebview) => void;
  clock: Clock;
  readDraft: (session: string) => Promise<Snapshot['draft']>;
  /** The view shows the session as it is now. */
  onShown: () => void;
  onError: (error: unknown) => void;
}

export class Feed implements Disposable {
  private readonly bag = createBag();
  private readonly growth: Growth;
  private readonly arrivals = new Arrivals();
  readonly fitted: Fitted;
  private readonly id: string;
  /** Counts the view has; undefined before its first snapshot. */
  private sent: { position: number; nodes: number } | undefined;
  private lastStatus = '';
  private lastTitle = '';
  private isOver = false;
  /** Counts what was begun: only the last one that fails is tried again. */
  private attempt = 0;
  private delay = FIRST_DELAY_MS;
  private retry: Disposable | undefined;

  constructor(
    private readonly session: ShownSession,
    private readonly parts: FeedParts,
  ) {
    this.id = session.agent.log.id;
    this.fitted = new Fitted(session.agent.log);
    this.growth = new Growth(this.id);
    this.bag.add(session.agent.log.show());
    this.follow();
  }

  get isCurrent(): boolean {
    return this.sent !== undefined;
  }

  /** Resolves when the view was sent what stands before this position, or that cannot be had now. Never rejects. */
  async reached(position: number): Promise<void> {
    if (this.isOver || (this.sent !== undefined && this.sent.position >= position)) return;
    await this.arrivals.reach(position);
  }

  /** Sends everything anew. Until it is done nothing else is sent: the snapshot will have it. */
  async sendSnapshot(): Promise<void> {
    this.cancelRetry();
    const attempt = this.attempt;
    try {
      await this.arrivals.during(() => this.makeCurrent());
    } catch (error) {
      if (attempt === this.attempt) this.tryLater(error);
      throw error;
    }
    if (this.isOver) return;
    this.delay = FIRST_DELAY_MS;
    this.parts.onShown();
  }

  private async makeCurrent(): Promise<void> {
    this.sent = undefined;
    const { agent } = this.session;
    const draft = await this.parts.readDraft(this.id);
    const snapshot = await buildSnapshot({
      agent,
      fitted: this.fitted,
      isEphemeral: this.session.isEphemeral,
      title: () => this.session.title(),
      status: () => this.session.status(),
      draft,
    });
    if (this.isOver) return;
    this.sent = { position: snapshot.position, nodes: snapshot.outline.ids.length };
    this.growth.reset(snapshot.growing);
    this.lastStatus = JSON.stringify(snapshot.status);
    this.lastTitle = snapshot.session.title;
    this.parts.post(snapshot);
    this.arrivals.arrived(snapshot.position);
    // What happened between the snapshot's making and its sending was told to nobody.
    if (agent.log.position !== snapshot.position) return this.makeCurrent();
    this.sendStatus();
    this.sendGrowth();
  }

  /** What the view shows is old, and nothing else would bring it up to date: the person is told, and it is tried again. */
  private tryLater(error: unknown): void {
    if (this.isOver) return;
    // Said once: the person may have put it away.
    if (this.delay === FIRST_DELAY_MS) {
      const { message } = failureOf(error, 'Showing the session');
      this.parts.post({ type: 'not_shown', session: this.id, message });
    }
    this.retry = this.parts.clock.after(this.delay, () => {
      this.sendSnapshot().catch(this.parts.onError);
    });
    this.delay = Math.min(this.delay * 2, LONGEST_DELAY_MS);
  }

  private cancelRetry(): void {
    this.attempt += 1;
    this.retry?.dispose();
    this.retry = undefined;
  }

  /** The view's document is gone. */
  forget(): void {
    this.cancelRetry();
    this.delay = FIRST_DELAY_MS;
    this.sent = undefined;
    this.arrivals.end();
  }

  dispose(): void {
    this.isOver = true;
    this.cancelRetry();
    this.sent = undefined;
    this.arrivals.end();
    this.bag.dispose();
  }

  private follow(): void {
    const { agent } = this.session;
    const grow = this.batched(() => this.sendGrowth());
    const report = this.batched(() =>
      this.post({ type: 'progress', session: this.id, progress: agent.progress() }),
    );
    const onEvent = (event: AgentEvent) => {
      switch (event.type) {
        case 'growing':
          return grow();
        case 'growing_end':
          return this.post({ type: 'growing_end', session: this.id, attempt_id: event.attempt_id });
        case 'dropped':
          return this.post({ type: 'dropped', session: this.id, dropped: agent.dropped() });
        case 'progress':
          return report();
        case 'line':
          return;
        case 'run':
        case 'retry':
        case 'resume':
        case 'turn_end':
          return this.sendStatus();
      }
    };
    this.bag.add(agent.on(onEvent));
    this.bag.add(agent.log.onAppend((placed) => this.sendAppended(placed)));
    this.bag.add(agent.log.onAccess(() => this.resend()));
    this.bag.add(this.session.onChange(() => this.sendStatus()));
  }

  private sendAppended(placed: readonly PlacedEntry[]): void {
    if (!this.sent) return;
    if (!followsOn(this.sent.position, placed)) return this.resend();
    this.sendGrowth();
    const status = this.session.status();
    const message = buildAppended({
      agent: this.session.agent,
      status,
      from: this.sent.position,
      nodes: this.sent.nodes,
      placed,
    });
    this.sent = { position: message.position, nodes: this.sent.nodes + message.outline.length };
    this.lastStatus = JSON.stringify(status);
    this.parts.post(message);
    if (this.session.title() !== this.lastTitle) this.resend();
  }

  private sendStatus(): void {
    if (!this.sent) return;
    if (this.session.title() !== this.lastTitle) return this.resend();
    const status = this.session.status();
    const text = JSON.stringify(status);
    if (text === this.lastStatus) return;
    this.lastStatus = text;
    this.parts.post({ type: 'status', session: this.id, status });
  }

  private sendGrowth(): void {
    if (!this.sent) return;
    const message = this.growth.advance(this.session.agent.growing());
    if (message) this.parts.post(message);
  }

  /** A session whose view is not there is not followed; the view asks when it comes back. */
  private post(message: ToWebview): void {
    if (this.sent) this.parts.post(message);
  }

  private resend(): void {
    if (this.sent) this.sendSnapshot().catch(this.parts.onError);
  }

  /** Gathers the calls of `send` that come within a batch's time into one. */
  private batched(send: () => void): () => void {
    let timer: Disposable | undefined;
    this.bag.add({ dispose: () => timer?.dispose() });
    return () => {
      timer ??= this.parts.clock.after(BATCH_MS, () => {
        timer = undefined;
        if (!this.isOver) send();
      });
    };
  }
}
