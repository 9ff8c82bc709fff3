export const isMac = navigator.platform.startsWith('Mac');

/** What the key that goes with others is called on this computer. */
export const modKey = isMac ? '⌘' : 'Ctrl+';
