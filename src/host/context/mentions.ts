/** What an @ offers, and what is sent of it once it is picked. */
import * as vscode from 'vscode';
import type { Mention, MentionOffer } from '../../shared/protocol.js';
import { Refusal } from '../errors.js';
import { findFiles } from '../files.js';
import { changesMention, hasRepository } from './git.js';
import { findSessions, sessionMention, type PastSessionsParts } from './past-sessions.js';
import { allProblems, countOf, problemsMention, problemsOf } from './problems.js';
import { lastEditor, selectionMention } from './selection.js';
import { shownPath } from './shown-path.js';
import { symbolMention } from './symbols.js';
import type { Terminals } from './terminals.js';

export interface MentionsParts extends PastSessionsParts {
  terminals: Terminals;
}

const SESSIONS = 'session:';
const SYMBOLS = 'symbol:';
const MOST_SESSIONS = 10;
const FEW_SESSIONS = 3;
const MOST_FOLDERS = 3;

/** `into`: the session it is for. */
export async function findMentions(
  parts: MentionsParts,
  query: string,
  into: string,
): Promise<MentionOffer[]> {
  const sessionsOf = (text: string, limit: number) => findSessions(parts, { text, limit, into });
  if (query.startsWith(SESSIONS)) return sessionsOf(query.slice(SESSIONS.length), MOST_SESSIONS);
  if (query.startsWith(SYMBOLS)) return [];
  const [files, sessions] = await Promise.all([
    findFiles(query),
    query.length < 2 ? [] : sessionsOf(query, FEW_SESSIONS),
  ]);
  const word = query.toLowerCase();
  const editorOffers = offersNow(parts).filter(
    ({ kind, label }) => kind.startsWith(word) || label.toLowerCase().startsWith(word),
  );
  return [
    ...editorOffers,
    ...foldersOf(files, word).map((path): MentionOffer => ({ kind: 'folder', label: `${path}/`, path })),
    ...files.map((path): MentionOffer => ({ kind: 'file', label: path, path })),
    ...sessions,
  ];
}

/** What the editor knows now. */
function offersNow({ terminals }: MentionsParts): MentionOffer[] {
  const editor = lastEditor();
  const selected = selectionMention(editor);
  const problems = allProblems();
  const here = editor === undefined ? undefined : problemsOf(editor.document.uri);
  const offers: (MentionOffer | false)[] = [
    selected !== undefined && { kind: 'selection', label: 'Selection', detail: selected.label },
    problems.length > 0 && {
      kind: 'problems',
      label: 'Problems',
      detail: `${countOf(problems)} in the workspace`,
    },
    editor !== undefined &&
      here !== undefined &&
      here[1].length > 0 && {
        kind: 'problems',
        label: 'Problems of this file',
        detail: `${here[1].length} in ${shownPath(editor.document.uri)}`,
        ref: editor.document.uri.toString(),
      },
    terminals.has() && {
      kind: 'terminal',
      label: 'Terminal',
      detail: 'the last command and what it printed',
    },
    hasRepository() && { kind: 'git', label: 'Git changes', detail: 'what is not committed' },
    { kind: 'symbol', label: 'Symbol…', detail: 'a function, class or variable', prefix: SYMBOLS },
    { kind: 'session', label: 'Session…', detail: 'what was said in another one', prefix: SESSIONS },
  ];
  return offers.filter((offer) => offer !== false);
}

/** Folders on the way to the files, whose own name fits. */
function foldersOf(files: readonly string[], word: string): string[] {
  if (word === '') return [];
  const folders = new Set<string>();
  for (const file of files) {
    for (let at = file.indexOf('/'); at !== -1; at = file.indexOf('/', at + 1)) {
      const folder = file.slice(0, at);
      if (`${folder}/`.toLowerCase().includes(word)) folders.add(folder);
    }
  }
  return [...folders].sort((a, b) => a.length - b.length || a.localeCompare(b)).slice(0, MOST_FOLDERS);
}

/** Symbols are looked for when the @ asks for them, or says enough to look for. */
export function symbolQuery(query: string): string | undefined {
  if (query.startsWith(SYMBOLS)) return query.slice(SYMBOLS.length);
  return query.length >= 3 && /^[\p{L}\w$.]+$/u.test(query) ? query : undefined;
}

export async function resolveMention(
  parts: MentionsParts,
  offer: MentionOffer,
  session: string,
): Promise<Mention> {
  const { kind, label, path, ref } = offer;
  switch (kind) {
    case 'selection':
      return selectionMention() ?? gone(vscode.l10n.t('Nothing is selected in the editor.'));
    case 'problems':
      return problemsMention(ref === undefined ? allProblems() : [problemsOf(vscode.Uri.parse(ref, true))]);
    case 'terminal':
      return parts.terminals.lastCommand();
    case 'git':
      return changesMention();
    case 'symbol':
      return symbolMention(offer);
    case 'session':
      return sessionMention(parts, offer, session);
    case 'file':
    case 'folder':
    case 'skill':
    case 'image':
      return { kind, label: path ?? label, ...(path === undefined ? {} : { path }) };
  }
}

function gone(message: string): never {
  throw new Refusal({ kind: 'refused', message, transient: false });
}
