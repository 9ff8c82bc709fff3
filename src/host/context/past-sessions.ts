/** Sessions of this folder, as what they were about: what was said, without what tools gave. */
import type { SessionStore } from '../../log/store.js';
import type { Mention, MentionOffer } from '../../shared/protocol.js';
import { readConversation } from '../export/conversation.js';
import { writeMarkdown } from '../export/markdown.js';
import { Refusal } from '../errors.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import { cap } from './cap.js';
import { MOST_CHARS } from './shown-path.js';

export interface PastSessionsParts {
  store: Pick<SessionStore, 'list'>;
  sessions: Pick<OpenSessions, 'open'>;
}

/** All but the session it is for: what was said there is told anyway. */
export async function findSessions(
  { store }: Pick<PastSessionsParts, 'store'>,
  { text, limit, into }: { text: string; limit: number; into: string },
): Promise<MentionOffer[]> {
  const { sessions } = await store.list({ text, limit: limit + 1 });
  return sessions
    .filter(({ id }) => id !== into)
    .slice(0, limit)
    .map(({ id, title, updated }) => ({
      kind: 'session',
      label: title,
      detail: new Date(updated).toLocaleDateString(),
      ref: id,
    }));
}

/** `into`: the session it is for, which need not be told of itself. */
export async function sessionMention(
  { sessions }: PastSessionsParts,
  { label, ref }: MentionOffer,
  into: string,
): Promise<Mention> {
  if (ref === undefined || ref === into)
    throw new Refusal({
      kind: 'refused',
      message: 'This is the session itself: what was said in it is told anyway.',
      transient: false,
    });
  const session = await sessions.open(ref);
  const { blocks, ...conversation } = await readConversation(session.agent.log, session.title());
  const said = blocks.filter(({ kind }) => kind !== 'code' && kind !== 'quiet');
  return {
    kind: 'session',
    label,
    text: cap(writeMarkdown({ ...conversation, blocks: said }), MOST_CHARS, 'both'),
  };
}
