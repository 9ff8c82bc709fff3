/** What a message may name beside its text. Free of zod: the view needs it too. */
export const mentionKinds = [
  'file',
  'folder',
  'selection',
  'symbol',
  'problems',
  'terminal',
  'git',
  'session',
  'skill',
  'image',
] as const;
export type MentionKind = (typeof mentionKinds)[number];
