/**
 * Sessions that nobody looks at and that do nothing are let go of, so that they hold no memory: the longest unused ones
 * beyond `sessions.maxOpen`, and each that was not used for `sessions.idleAfter`. Opening one again brings it back. Where
 * there is none to let go of, nobody looks.
 */
import type { Clock, Disposable } from '../../ports.js';
import { createBag } from '../disposables.js';
import type { OpenSessions } from './open-sessions.js';

export interface RestLimits {
  /** 0 = no limit. */
  maxOpen: number;
  /** ms; 0 = never. */
  idleAfter: number;
}

export interface RestParts {
  sessions: Pick<OpenSessions, 'all' | 'on' | 'letGo'>;
  /** A view shows it, in sight or not. */
  hasView: (session: string) => boolean;
  /** Another session is in sight. */
  onViews: (listener: () => void) => Disposable;
  limits: () => RestLimits;
  clock: Clock;
  onError: (error: unknown) => void;
}

/** Between two looks. */
const EVERY_MS = 15_000;

export function letSessionsRest(parts: RestParts): Disposable {
  const { sessions, clock, onError } = parts;
  const bag = createBag();
  const used = new Map<string, number>();
  let timer: Disposable | undefined;
  let planned = 0;
  let isOver = false;
  const pass = async () => {
    for (const id of dueOf(parts, used)) {
      await sessions.letGo(id);
      used.delete(id);
    }
  };
  const again = () => {
    const ms = isOver ? undefined : untilNext(parts, used);
    // One that is planned comes sooner at most.
    if (ms === undefined || (timer && planned <= clock.elapsed() + ms)) return;
    timer?.dispose();
    planned = clock.elapsed() + ms;
    timer = clock.after(ms, () => {
      void pass()
        .catch(onError)
        .finally(() => {
          timer = undefined;
          again();
        });
    });
  };
  bag.add(
    sessions.on(({ id, type }) => {
      if (type === 'closed' || type === 'rested') used.delete(id);
      else used.set(id, clock.elapsed());
      again();
    }),
  );
  bag.add(parts.onViews(again));
  again();
  return {
    dispose: () => {
      isOver = true;
      timer?.dispose();
      bag.dispose();
    },
  };
}

/** ms until one may have to be let go of; undefined while none can be. */
function untilNext(
  { sessions, hasView, limits, clock }: RestParts,
  used: ReadonlyMap<string, number>,
): number | undefined {
  const { maxOpen, idleAfter } = limits();
  const open = sessions.all().map(({ agent }) => agent.log.id);
  const unseen = open.filter((id) => !hasView(id));
  if (unseen.length === 0) return undefined;
  if (maxOpen > 0 && open.length > maxOpen) return EVERY_MS;
  const since = Math.min(...unseen.map((id) => used.get(id) ?? 0));
  return idleAfter > 0 ? Math.max(EVERY_MS, since + idleAfter - clock.elapsed()) : undefined;
}

/** The longest unused first. */
function dueOf({ sessions, hasView, limits, clock }: RestParts, used: ReadonlyMap<string, number>): string[] {
  const { maxOpen, idleAfter } = limits();
  const open = sessions.all();
  const now = clock.elapsed();
  const free = open
    .filter((session) => session.mayRest && !hasView(session.agent.log.id))
    .map((session) => ({ id: session.agent.log.id, since: used.get(session.agent.log.id) ?? 0 }))
    .sort((a, b) => a.since - b.since);
  const over = maxOpen > 0 ? Math.max(0, open.length - maxOpen) : 0;
  return free
    .filter(({ since }, index) => index < over || (idleAfter > 0 && now - since >= idleAfter))
    .map(({ id }) => id);
}
