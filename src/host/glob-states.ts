/**
 * Whether a text is what a pattern means: `*` is anything within a path segment, `**` anything (with a slash
 * behind it: any folders, or none), `?` one character; a backslash takes the next one literally. All ways to read it are
 * followed at once, so that a pattern of many stars takes no longer than its length times that of the text.
 */

/** `path` is `**` with a slash behind it, `folder` what is inside of one: it ends with its slash. */
type Token = { is: 'char'; char: string } | { is: 'one' | 'some' | 'any' | 'path' | 'folder' };

export function isGlobMatch(glob: string, text: string): boolean {
  return globStates(glob)(text);
}

/** The same for many texts. */
export function globStates(glob: string): (text: string) => boolean {
  const tokens = tokensOf(glob);
  return (text) => isMatch(tokens, text);
}

function isMatch(tokens: readonly Token[], text: string): boolean {
  let states = withSkipped(tokens, new Set([0]));
  for (let at = 0; at < text.length && states.size > 0; at += 1) {
    const next = new Set<number>();
    for (const state of states) step(tokens, state, text.charAt(at), next);
    states = withSkipped(tokens, next);
  }
  return states.has(tokens.length);
}

function tokensOf(glob: string): Token[] {
  const pieces = glob.match(/\\[^]|\*\*\/?|[^]/g) ?? [];
  return pieces.flatMap((piece): Token[] => {
    if (piece === '**/') return [{ is: 'path' }, { is: 'folder' }];
    if (piece === '**') return [{ is: 'any' }];
    if (piece === '*') return [{ is: 'some' }];
    if (piece === '?') return [{ is: 'one' }];
    return [{ is: 'char', char: piece.length > 1 ? piece.slice(1) : piece }];
  });
}

/** Where a character leads from one state. */
function step(tokens: readonly Token[], state: number, char: string, next: Set<number>): void {
  const token = tokens[state];
  switch (token?.is) {
    case undefined:
    case 'path':
      return;
    case 'char':
      if (char === token.char) next.add(state + 1);
      return;
    case 'one':
      if (char !== '/') next.add(state + 1);
      return;
    case 'some':
      if (char !== '/') next.add(state);
      return;
    case 'any':
      next.add(state);
      return;
    case 'folder':
      next.add(state);
      if (char === '/') next.add(state + 1);
      return;
  }
}

/** What may stand for nothing is passed over too. */
function withSkipped(tokens: readonly Token[], states: Set<number>): Set<number> {
  // What is added here is visited here.
  for (const state of states) {
    const is = tokens[state]?.is;
    if (is === 'some' || is === 'any' || is === 'path') states.add(state + 1);
    if (is === 'path') states.add(state + 2);
  }
  return states;
}
