/**
 * The person looks through all that a line, or one turn of it, made of the files: one editor, what was on the left, what
 * is on the right. All of it is kept or undone together; undoing asks about what somebody else changed since, and is taken
 * back by one button.
 */
import * as vscode from 'vscode';
import type { FileDifference } from '../../agent/files.js';
import type { FileChangeOfLine } from '../../agent/review.js';
import type { AgentSession } from '../../agent/types.js';
import { asks } from '../asks.js';
import { unwrap } from '../errors.js';
import type { FilePair, KeptFiles } from './kept-files.js';
import { putBack, wordsOf, type RestoreParts } from './restore.js';

/** More names than this are counted. */
const NAMED = 5;

/** `turn_id`: of one turn only, kept or not. */
export async function reviewFiles(agent: AgentSession, parts: RestoreParts, turn_id?: string): Promise<void> {
  const files = await agent.fileChanges(turn_id);
  if (files.length === 0) return parts.tell.info(nothingToReview());
  const pairs = files.map((file) => pairOf(agent, file, parts.kept));
  const [only] = pairs;
  if (only !== undefined && pairs.length === 1)
    await parts.kept.showOne(vscode.l10n.t('{0} (before ↔ after Bough)', only.path), only);
  else await parts.kept.showAll(vscode.l10n.t('Changes of Bough: {0} files', files.length), pairs);
  const since = files.filter(({ now, after }) => now !== after).map(({ path }) => path);
  const said =
    since.length === 0
      ? ''
      : ` ${vscode.l10n.t('Changed since, shown as Bough left it: {0}.', since.join(', '))}`;
  // A turn is a part: what it made is kept or undone with the rest of its line.
  const buttons =
    turn_id === undefined
      ? {
          [vscode.l10n.t('Keep All')]: () => keepSeen(agent, parts, files),
          [vscode.l10n.t('Undo All…')]: () => undoAll(agent, parts),
        }
      : {};
  if (turn_id === undefined || said !== '')
    parts.tell.info(`${vscode.l10n.t('Changed by Bough: {0}.', namesOf(files))}${said}`, buttons);
}

/** `uri`: of one file only. */
export async function keepAll(agent: AgentSession, parts: RestoreParts, uri?: string): Promise<void> {
  const files = (await agent.fileChanges()).filter(isOf(uri));
  if (files.length === 0) return parts.tell.info(nothingToReview());
  unwrap(await agent.keepFiles(files));
}

/** What was shown when the person was asked: what came since was not looked at, and stays to be. */
export async function keepSeen(
  agent: AgentSession,
  parts: RestoreParts,
  seen: readonly FileChangeOfLine[],
): Promise<void> {
  const all = await agent.fileChanges();
  const files = all.filter((file) => seen.some((one) => isSameChange(one, file)));
  if (files.length > 0) unwrap(await agent.keepFiles(files));
  const left = all.filter((file) => !files.includes(file));
  if (left.length > 0)
    parts.tell.info(
      vscode.l10n.t('Changed since you looked, and not kept: {0}. Review the changes again.', namesOf(left)),
    );
  else if (files.length === 0) parts.tell.info(nothingToReview());
}

const isSameChange = (one: FileChangeOfLine, other: FileChangeOfLine): boolean =>
  one.path === other.path && one.before === other.before && one.after === other.after;

export async function undoAll(agent: AgentSession, parts: RestoreParts, uri?: string): Promise<void> {
  const files = (await agent.fileChanges()).filter(isOf(uri)).map(asDifference);
  if (files.length === 0) return parts.tell.info(nothingToReview());
  if (await agrees(files)) await putBack(agent, files, parts);
}

const isOf =
  (uri: string | undefined) =>
  (file: FileChangeOfLine): boolean =>
    uri === undefined || file.uri === uri;

const nothingToReview = (): string =>
  vscode.l10n.t('There are no changes of this branch to look through: all were kept or undone.');

const namesOf = (files: readonly FileChangeOfLine[]): string => listed(files.map(({ path }) => path));

const listed = (names: readonly string[]): string => {
  const more = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : [])].join(', ');
};

const asDifference = ({ before, after, ...file }: FileChangeOfLine): FileDifference => ({
  ...file,
  wanted: before,
  isOfLine: true,
});

/** The file itself where it still is as it was left, so that it can be worked on there. */
function pairOf(
  agent: AgentSession,
  { path, before, after, now, uri }: FileChangeOfLine,
  kept: KeptFiles,
): FilePair {
  const isSame = now === after && after !== null && uri !== undefined;
  return {
    path,
    left: kept.uri(agent.log.id, path, before),
    right: isSame ? vscode.Uri.parse(uri, true) : kept.uri(agent.log.id, path, after),
  };
}

/** As the editor itself asks before it discards changes. */
async function agrees(files: readonly FileDifference[]): Promise<boolean> {
  const [first] = files;
  const isOne = files.length === 1;
  const undo = isOne ? vscode.l10n.t('Undo 1 File') : vscode.l10n.t('Undo {0} Files', files.length);
  const question = isOne
    ? vscode.l10n.t('Undo what Bough changed in {0}?', first?.path ?? '')
    : vscode.l10n.t('Undo what Bough changed in {0} files?', files.length);
  const detail = [
    ...(isOne && first !== undefined && first.path === wordsOf(first) ? [] : [listed(files.map(wordsOf))]),
    vscode.l10n.t('The files become as they were before. One button brings the changes back.'),
  ].join('\n\n');
  return (await asks.showWarningMessage(question, { modal: true, detail }, undo)) === undo;
}
