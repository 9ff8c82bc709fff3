/** A message outside the chat, only when the person is needed and no view shows the session. Once for each occasion. */
import * as vscode from 'vscode';
import { withHiddenNamed } from '../shared/hidden-characters.js';
import type { Chats } from './chat/chats.js';
import type { OpenSessions } from './sessions/open-sessions.js';
import type { Teller } from './tell.js';

export function notifyWhenNeeded(sessions: OpenSessions, chats: Chats, tell: Teller): { dispose(): void } {
  const told = new Map<string, string>();
  return sessions.on((event) => {
    if (event.type !== 'agent' || event.event.type !== 'run') return;
    const session = sessions.peek(event.id);
    const { run } = event.event;
    if (!session || (run !== 'waiting' && run !== 'parked')) return;
    const state = session.agent.log.state();
    const occasion =
      run === 'waiting'
        ? state.approvals.map(({ request_id }) => request_id).join()
        : (state.wait?.note_id ?? '');
    if (told.get(event.id) === occasion || chats.isVisible(event.id)) return;
    told.set(event.id, occasion);
    const summary = state.approvals[0]?.summary;
    const text =
      run === 'waiting'
        ? vscode.l10n.t(
            '“{0}” asks before it goes on: {1}',
            session.title(),
            summary === undefined ? vscode.l10n.t('an approval') : withHiddenNamed(summary),
          )
        : vscode.l10n.t('“{0}” waits: the server asks for a long pause.', session.title());
    tell.info(text, {
      [vscode.l10n.t('Show')]: () =>
        chats.show(event.id, { at: run === 'waiting' ? 'approval' : 'composer' }),
    });
  });
}
