/** Whether a command can be typed into a terminal as it is: one line, without characters that a terminal takes for keys. */

const CONTROLS = /\p{Cc}/u;

export const isTypable = (command: string): boolean => !CONTROLS.test(command.replace(/\n+$/, ''));
