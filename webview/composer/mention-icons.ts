/** Codicons for what a message names. */
import type { MentionKind } from '../../src/shared/mention-kinds.js';

export const mentionIcons: Readonly<Record<MentionKind, string>> = {
  file: 'file',
  folder: 'folder',
  selection: 'selection',
  symbol: 'symbol-method',
  problems: 'warning',
  terminal: 'terminal',
  git: 'git-compare',
  session: 'comment-discussion',
  skill: 'book',
  image: 'file-media',
};
