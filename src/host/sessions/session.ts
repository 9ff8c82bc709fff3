/**
 * An open session as the views see it: its agent, its title, and the status built from what the agent says and what only
 * the host knows (the model's name, settings, a write that failed). One per session, shared by all views.
 */
import type { AgentSession } from '../../agent/types.js';
import type { Holder, PlacedEntry, SessionLog } from '../../log/store.js';
import type { Disposable, Model, Outcome } from '../../ports.js';
import { OutlineFlag } from '../../shared/fold/types.js';
import { isFailure, type Failure } from '../../shared/failure.js';
import type { Intent, ModelView, NoticeView, RunState, StatusView } from '../../shared/protocol.js';
import type { ShownSession } from '../chat/feed.js';
import { createBag, createSignal } from '../disposables.js';
import { unwrap } from '../errors.js';
import { noticesOf, type NoticeFacts } from '../notices.js';
import { isGone } from './gone.js';
import { FilesOffer } from './files-offer.js';
import { OpenChanges } from './open-changes.js';

/** What all sessions of this window share. */
export interface WindowFacts {
  place: () => StatusView['place'];
  sendOn: () => StatusView['sendOn'];
  notices: () => readonly NoticeView[];
  suggestions: (model: ModelView | null) => string[];
  /** One of the above changed. */
  onChange: (listener: () => void) => Disposable;
  /** Instructions of the workspace were written. */
  onInstructions: (listener: () => void) => Disposable;
}

/** A prompt was not sent because another window was faster; `seen` is the head it was written for. */
interface Overtaken {
  seen: string | null;
}

export interface HostSessionParts {
  agent: AgentSession;
  /** Kept in memory only. */
  isEphemeral: boolean;
  facts: WindowFacts;
  resolveModel: (wanted: string) => Promise<Outcome<Model>>;
  /** Keys, settings or offered models changed: the session's model may be another now, or can be had again. */
  onModels: (listener: () => void) => Disposable;
  onError: (error: unknown) => void;
}

export class HostSession implements ShownSession, Disposable {
  readonly agent: AgentSession;
  /** How many others work with it: extensions, and the session that gave it its task. */
  private holds = 0;
  private readonly bag = createBag();
  private readonly changed;
  private readonly heldElsewhere;
  /** To let the files follow, after another line was shown. */
  readonly files: FilesOffer;
  private readonly changes: OpenChanges;
  private notSaved: Failure | null = null;
  /** The intent that could not be saved, when it was one. */
  private unsaved: Intent | null = null;
  /** Who runs it in another window. */
  private holder: Holder | null = null;
  /** The person was refused because another window works in it, with or without a turn. */
  private wasRefused = false;
  private lost: Overtaken | null = null;
  /** Entries the log had when it was looked at last. */
  private position: number;
  private lostEntries = 0;
  /** What a look at the file found that was not so when it was read. */
  private found: NoticeFacts['found'] = [];
  private model: ModelView | null = null;
  private modelFailure: Failure | null = null;
  private modelRound = 0;
  private isDisposed = false;

  constructor(private readonly parts: HostSessionParts) {
    this.agent = parts.agent;
    this.position = parts.agent.log.position;
    this.changed = createSignal<void>(parts.onError);
    this.heldElsewhere = createSignal<void>(parts.onError);
    this.files = this.bag.add(new FilesOffer(this.agent, () => this.changed.fire(), parts.onError));
    this.changes = new OpenChanges(this.agent.log);
    this.bag.add(this.agent.log.onAppend((placed) => this.takeAppended(placed)));
    this.bag.add(
      this.agent.on((event) => {
        if (event.type !== 'turn_end') return;
        const failure = event.save_failure ?? event.failure;
        if (failure) this.takeFailure(failure);
      }),
    );
    this.bag.add(parts.onModels(() => this.refreshModelSoon()));
    this.bag.add(parts.facts.onChange(() => this.changed.fire()));
    this.bag.add(parts.facts.onInstructions(() => this.lookAroundSoon()));
  }

  /** Another window works in it. */
  get isHeld(): boolean {
    return this.holder !== null;
  }

  /** What it does, here or in another window that is known to work in it. */
  run(): RunState {
    const own = this.agent.run();
    return own === 'idle' && this.isHeld ? 'running' : own;
  }

  /** Nobody goes on with its turn by itself, here or in another window. */
  interrupted(): StatusView['interrupted'] {
    return this.isHeld ? null : this.agent.interrupted();
  }

  readonly title = (): string => titleOf(this.agent.log);
  readonly onHolder = (listener: () => void): Disposable => this.heldElsewhere.on(listener);
  readonly onChange = (listener: () => void): Disposable => this.changed.on(listener);

  readonly status = (): StatusView => {
    const { agent, parts } = this;
    const changes = this.changes.view;
    const goal = agent.goal();
    return {
      run: agent.run(),
      ...(this.isHeld ? { isHeld: true } : {}),
      notices: noticesOf({
        access: agent.log.access,
        damage: agent.log.damage,
        found: this.found,
        holder: this.holder,
        lost: this.lostEntries,
        isOvertaken: this.lost !== null,
        notSaved: this.notSaved,
        model: this.modelFailure,
        settings: parts.facts.notices(),
      }),
      interrupted: this.interrupted(),
      model: this.model,
      failure: agent.failure(),
      place: parts.facts.place(),
      suggestions: parts.facts.suggestions(this.model),
      sendOn: parts.facts.sendOn(),
      mode: agent.mode(),
      isSummarising: agent.isCompacting(),
      sent: agent.instructions(),
      ...(this.files.view === null ? {} : { files: this.files.view }),
      ...(changes === null ? {} : { changes }),
      ...(goal === null ? {} : { goal }),
    };
  };

  /** Nothing is lost when it is let go of and opened again. */
  get mayRest(): boolean {
    // A command may go on beside all turns.
    const isQuiet = this.agent.growing() === null && this.agent.progress().length === 0;
    const isAtRest = this.agent.run() === 'idle' && isQuiet;
    // It could not be opened again.
    if (isGone(this.agent.log.access)) return false;
    return isAtRest && this.holds === 0 && this.notSaved === null && this.lost === null;
  }

  /** It does not rest until it is let go of. */
  hold(): Disposable {
    this.holds += 1;
    let isOver = false;
    return {
      dispose: () => {
        if (isOver) return;
        isOver = true;
        this.holds -= 1;
      },
    };
  }

  get isEphemeral(): boolean {
    return this.parts.isEphemeral;
  }

  /** The file was looked through: what is damaged in it now and was not when it was read. */
  takeFound(damage: NoticeFacts['found']): void {
    const known = new Set(this.agent.log.damage.map(({ line }) => line));
    const found = damage.filter(({ line }) => !known.has(line));
    if (found.length === 0 && this.found.length === 0) return;
    this.found = found;
    this.changed.fire();
  }

  /** The line of its file to look at first; undefined while none is damaged. */
  get damagedLine(): number | undefined {
    return (this.found[0] ?? this.agent.log.damage[0])?.line;
  }

  /** How an intent of a view ended that was made on the head `seen`. */
  takeIntent(intent: Intent, failure: Failure | null, seen?: string | null): void {
    if (failure) this.takeFailure(failure, intent);
    if (failure?.code === 'Locked') {
      this.wasRefused = true;
      this.lookWhoHolds().catch(this.parts.onError);
    }
    if (intent.type !== 'send') return;
    const isOvertaken = failure?.code === 'SessionConflict' || failure?.code === 'SessionStale';
    if (isOvertaken && seen !== undefined) this.overtaken = { seen };
    else if (failure === null) this.overtaken = null;
  }

  /** Null while nothing is lost to another window. */
  get overtaken(): Overtaken | null {
    return this.lost;
  }

  set overtaken(lost: Overtaken | null) {
    if (lost === this.lost) return;
    this.lost = lost;
    this.changed.fire();
  }

  /** Who holds the writer's lease; short writes are no work. When whoever worked is gone, what is left is looked at. */
  async takeHolder(holder: Holder | null): Promise<void> {
    const { log } = this.agent;
    this.wasRefused &&= holder !== null;
    const working = log.state().turn !== null || this.wasRefused ? holder : null;
    const before = this.holder;
    if (isSameHolder(before, working)) return;
    this.holder = working;
    this.changed.fire();
    this.heldElsewhere.fire();
    if (working === null) await this.agent.recover();
  }

  /** A prompt that was not saved stands in the composer still: the person sends it, nothing else could clear it there. */
  get hasUnsavedPrompt(): boolean {
    return this.unsaved?.type === 'send' && this.agent.interrupted() === null;
  }

  /** Writes what could not be written: the end of a turn with what it left, or what the person asked for. */
  async saveAgain(): Promise<void> {
    const { agent, unsaved } = this;
    const intent: Intent = agent.interrupted() ? { type: 'leave' } : (unsaved ?? { type: 'leave' });
    const outcome = await agent.dispatch(intent);
    this.takeIntent(intent, isFailure(outcome) ? outcome : null);
    unwrap(outcome);
  }

  async refreshModel(): Promise<void> {
    const round = ++this.modelRound;
    const found = await this.parts.resolveModel(this.agent.model());
    // A later question has the later answer.
    if (round !== this.modelRound) return;
    this.modelFailure = isFailure(found) ? found : null;
    this.model = isFailure(found) ? null : modelView(found);
    this.changed.fire();
  }

  dispose(): void {
    this.isDisposed = true;
    this.modelRound += 1;
    this.bag.dispose();
  }

  /** What goes along with the next request; what is read during a turn is kept for it. */
  lookAroundSoon(): void {
    this.agent.lookAround().catch((error: unknown) => {
      if (!this.isDisposed) this.parts.onError(error);
    });
  }

  private async lookWhoHolds(): Promise<void> {
    const { log } = this.agent;
    await this.takeHolder(await log.holder());
  }

  private refreshModelSoon(): void {
    this.refreshModel().catch(this.parts.onError);
  }

  private takeAppended(placed: readonly PlacedEntry[]): void {
    const { position } = this.agent.log;
    if (position < this.position) this.lostEntries += this.position - position;
    this.position = position;
    this.notSaved = null;
    this.unsaved = null;
    if (placed.some(({ entry }) => entry.type === 'model_change' || entry.type === 'head'))
      this.refreshModelSoon();
  }

  /** What could not be written stays on show until something could. */
  private takeFailure(failure: Failure, intent: Intent | null = null): void {
    if (failure.action !== 'save-again') return;
    this.notSaved = failure;
    this.unsaved = intent;
    this.changed.fire();
  }
}

const isSameHolder = (a: Holder | null, b: Holder | null): boolean =>
  a?.pid === b?.pid && a?.host === b?.host && a?.since === b?.since;

function modelView({ info }: Model): ModelView {
  return {
    id: `${info.provider}/${info.id}`,
    label: info.label,
    demo: info.provider === 'demo',
    contextWindow: info.contextWindow,
  };
}

/** The person's own name wins, then the first prompt. */
export function titleOf(
  log: Pick<SessionLog, 'id' | 'state' | 'header' | 'outline' | 'damage' | 'position'>,
): string {
  const { name } = log.state();
  if (name !== null && name !== '') return name;
  const first = log.outline.find(([, , , flags]) => (flags & OutlineFlag.user) !== 0);
  // A file in which nothing makes sense is called as it is.
  const isForeign = log.position === 0 && log.damage.some(({ kind }) => kind === 'header');
  return log.header.title ?? (first?.[4] || (isForeign ? log.id : NEW_SESSION));
}

export const NEW_SESSION = 'New session';
