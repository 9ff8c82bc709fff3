/** What the key that goes with others is called on this computer. */
export const modKey = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl+';
