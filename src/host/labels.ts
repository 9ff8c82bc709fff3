/** Text of others in labels of VS Code, which draws `$(name)` as an icon there unless a backslash stands before it. */

const icon = /\$\([a-z0-9-]+(?:~[a-z0-9-]+)?\)/gi;

/** The label that shows this text as it is. */
export const plainLabel = (text: string): string => text.replace(icon, String.raw`\$&`);
