/** As package.json names it. */
export const PARTICIPANT = 'bough.chat-participant';
