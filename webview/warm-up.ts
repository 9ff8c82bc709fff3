/**
 * While the host still reads the session, a message that nobody sees is drawn once: half of what a first picture costs is
 * code that never ran before. Where there are messages by then, it is too late to be of use.
 */
import { flushSync, mount, unmount } from 'svelte';
import type { Chat } from './chat.svelte.js';
import WarmUp from './WarmUp.svelte';

export function warmUp(chat: Chat): void {
  requestIdleCallback(() => {
    if (chat.session.rows.length > 0) return;
    const drawn = mount(WarmUp, { target: document.createElement('div'), props: { chat } });
    flushSync();
    void unmount(drawn);
  });
}
