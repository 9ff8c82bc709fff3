/**
 * While the host still reads the session, messages that nobody sees are drawn once: half of what a first picture costs is
 * code, patterns and fonts that were never used before. Where there are messages by then, it is too late to be of use.
 */
import { flushSync, mount, unmount } from 'svelte';
import type { Chat } from './chat.svelte.js';
import WarmUp from './WarmUp.svelte';

export function warmUp(chat: Chat): void {
  requestIdleCallback(() => {
    if (chat.session.rows.length === 0) draw(chat);
  });
}

/** Laid out, never painted: it is gone before the next picture. */
function draw(chat: Chat): void {
  const target = document.createElement('div');
  target.inert = true;
  Object.assign(target.style, { contain: 'strict', inset: '0', position: 'fixed', visibility: 'hidden' });
  document.body.append(target);
  const drawn = mount(WarmUp, { target, props: { chat } });
  flushSync();
  void target.offsetHeight;
  void unmount(drawn);
  target.remove();
}
