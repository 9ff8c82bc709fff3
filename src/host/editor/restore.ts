/**
 * The person lets files follow a line: sees what would be written before anything is, is asked about each file that
 * somebody else changed since, and is told by name what was done and what was not. One button takes it back.
 */
import * as vscode from 'vscode';
import type { FileDifference, FileToRestore, RestoredFile, RestoreOutcome } from '../../agent/files.js';
import type { AgentSession } from '../../agent/types.js';
import { unwrap } from '../errors.js';
import { plainLabel } from '../labels.js';
import type { Reports } from '../reports.js';
import type { Teller } from '../tell.js';
import type { FilePair, KeptFiles } from './kept-files.js';
import type { PreviewQuestions } from './preview-question.js';

export interface RestoreParts {
  kept: KeptFiles;
  questions: PreviewQuestions;
  reports: Reports;
  tell: Teller;
}

/** More names than this go to a document. */
const NAMED = 8;

export async function previewFiles(agent: AgentSession, parts: RestoreParts): Promise<void> {
  const files = await agent.fileDifferences();
  if (files.length === 0) parts.tell.info(nothingDiffers());
  else await showAll(agent, files, parts);
}

/** Shows what the line on show has otherwise, and asks whether it is to be put back. */
export async function restoreFiles(agent: AgentSession, parts: RestoreParts): Promise<void> {
  const all = await agent.fileDifferences();
  if (all.length === 0) return parts.tell.info(nothingDiffers());
  const able = ableOf(all);
  if (able.length > 0) await ask(agent, all, parts);
  else await putBack(agent, all, parts);
}

async function ask(
  agent: AgentSession,
  all: readonly FileDifference[],
  parts: RestoreParts,
  before = '',
): Promise<void> {
  const { questions, tell } = parts;
  const able = ableOf(all);
  // A preview of before must not be taken for this one.
  await questions.leaveAll();
  await showAll(agent, able, parts);
  const { accept, discard } = questions.ask({
    title: titleOf(able),
    about: 'files',
    write: () => putSeenBack(agent, all, parts),
  });
  const [question, restore] =
    able.length === 1
      ? [vscode.l10n.t('Restore 1 file?'), vscode.l10n.t('Restore 1 File')]
      : [vscode.l10n.t('Restore {0} files?', able.length), vscode.l10n.t('Restore {0} Files', able.length)];
  const shown = vscode.l10n.t('The editor shows what would be written. Nothing has been changed yet.');
  tell.info(`${before}${question} ${plainLabel(namesOf(able))}. ${shown}`, {
    [restore]: accept,
    [vscode.l10n.t('Keep Files as They Are')]: discard,
  });
}

/** Only what the person saw; what became otherwise meanwhile is shown and asked anew. */
async function putSeenBack(
  agent: AgentSession,
  seen: readonly FileDifference[],
  parts: RestoreParts,
): Promise<boolean> {
  const all = await agent.fileDifferences();
  if (all.length === seen.length && all.every((file, index) => isSame(file, seen[index])))
    return putBack(agent, all, parts);
  if (ableOf(all).length === 0) {
    parts.tell.info(nothingDiffers());
    return true;
  }
  await ask(agent, all, parts, `${vscode.l10n.t('It has become otherwise since you were asked.')} `);
  return false;
}

const isSame = (one: FileDifference, other: FileDifference | undefined): boolean =>
  one.path === other?.path &&
  one.now === other.now &&
  one.wanted === other.wanted &&
  one.isChangedSince === other.isChangedSince;

function namesOf(files: readonly FileDifference[]): string {
  const names = files.slice(0, NAMED).map(wordsOf);
  const more = files.length - names.length;
  return [...names, ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : [])].join(', ');
}

const ableOf = (files: readonly FileDifference[]): readonly FileDifference[] =>
  files.filter(({ problem }) => problem === undefined);

/**
 * Writes what the person agreed to; each file that somebody else changed since, or that makes things run, is asked about.
 * False: the person left such a question, and nothing was written.
 */
export async function putBack(
  agent: AgentSession,
  all: readonly FileDifference[],
  parts: RestoreParts,
): Promise<boolean> {
  const kept: string[] = [];
  const chosen: FileToRestore[] = [];
  for (const file of ableOf(all)) {
    const answer = isAskedAbout(file) ? await askAbout(agent, file, parts) : 'overwrite';
    if (answer === undefined) {
      parts.tell.info(vscode.l10n.t('Nothing was restored: the question about {0} was left.', file.path));
      return false;
    }
    if (answer === 'keep') kept.push(file.path);
    else chosen.push({ path: file.path, wanted: file.wanted, seen: file.now });
  }
  const outcome = unwrap(await agent.restoreFiles(chosen));
  const unable = all.flatMap(({ path, problem }) =>
    problem === undefined ? [] : [{ path, message: problem }],
  );
  await tellOutcome(agent, { ...outcome, failed: [...unable, ...outcome.failed] }, kept, parts);
  return true;
}

const isAskedAbout = ({ isChangedSince, makesThingsRun }: FileDifference): boolean =>
  isChangedSince || makesThingsRun;

const nothingDiffers = (): string =>
  vscode.l10n.t('The files this session changed are as this branch left them.');

// ------------------------------------------------------------------------------------------------------- preview

const showAll = (
  agent: AgentSession,
  files: readonly FileDifference[],
  { kept }: RestoreParts,
): Promise<void> =>
  kept.showAll(
    titleOf(files),
    files.map((file) => pairOf(agent, file, kept)),
  );

const titleOf = (files: readonly FileDifference[]): string =>
  files.length === 1
    ? vscode.l10n.t('Restore {0}', files[0]?.path ?? '')
    : vscode.l10n.t('Restore {0} files', files.length);

/** Left as it is now, right as the line has it. */
const pairOf = (
  agent: AgentSession,
  { path, now, wanted, uri }: FileDifference,
  kept: KeptFiles,
): FilePair => ({
  path,
  left: now === null || uri === undefined ? undefined : vscode.Uri.parse(uri, true),
  right: kept.uri(agent.log.id, path, wanted),
});

// ----------------------------------------------------------------------------------------------------- questions

export function wordsOf({ path, now, wanted, isChangedSince, makesThingsRun }: FileDifference): string {
  if (isChangedSince) return vscode.l10n.t('{0} (you are asked: it was changed since)', path);
  if (makesThingsRun) return vscode.l10n.t('{0} (you are asked: it can make things run)', path);
  if (wanted === null) return vscode.l10n.t('{0} (removed)', path);
  return now === null ? vscode.l10n.t('{0} (created)', path) : path;
}

const questionOf = ({ path, isChangedSince }: FileDifference): { title: string; question: string } =>
  isChangedSince
    ? {
        title: vscode.l10n.t('{0} was changed since', path),
        question: vscode.l10n.t('{0} was changed since: it is not what this session left there.', path),
      }
    : {
        title: vscode.l10n.t('{0} can make things run', path),
        question: vscode.l10n.t('{0} can make things run: what it holds may be run on this computer.', path),
      };

/** Beside what would be written. Undefined: the person left the question, and with it all of this. */
async function askAbout(
  agent: AgentSession,
  file: FileDifference,
  { kept, questions, tell }: RestoreParts,
): Promise<'overwrite' | 'keep' | undefined> {
  const { title, question } = questionOf(file);
  await kept.showAll(title, [pairOf(agent, file, kept)]);
  return new Promise((resolve) => {
    const { accept, discard } = questions.ask({
      title,
      about: 'file',
      write: () => Promise.resolve(true),
      ended: (how) => resolve(answers[how]),
      tooLate: () => tell.info(vscode.l10n.t('{0} is not asked about any more.', file.path)),
    });
    const shown = vscode.l10n.t(
      'The editor shows what would be written. What it has now is kept: Undo brings it back.',
    );
    tell.warn(`${question} ${shown}`, {
      [vscode.l10n.t('Overwrite')]: accept,
      [vscode.l10n.t('Keep Mine')]: discard,
    });
  });
}

const answers = { accepted: 'overwrite', discarded: 'keep', left: undefined } as const;

// ------------------------------------------------------------------------------------------------ what was done

async function tellOutcome(
  agent: AgentSession,
  { restored, failed, unrecorded }: RestoreOutcome,
  kept: readonly string[],
  parts: RestoreParts,
): Promise<void> {
  const lines = [
    ...names(vscode.l10n.t('Restored'), restored.map(nameOf)),
    ...names(vscode.l10n.t('Kept as they are'), kept),
    ...failed.map(({ path, message }) => vscode.l10n.t('Not restored: {0}. {1}', path, message)),
    ...(unrecorded === null
      ? []
      : [vscode.l10n.t('The session could not write down what was restored. {0}', unrecorded.message)]),
  ];
  const isLong = restored.length + kept.length + failed.length > NAMED;
  const report = vscode.l10n.t('Restored files');
  if (isLong) await parts.reports.show(`${report}.md`, lines.join('\n\n'));
  const text = isLong
    ? vscode.l10n.t(
        'Restored {0} files, kept {1}, could not restore {2}.',
        restored.length,
        kept.length,
        failed.length,
      )
    : lines.join(' ');
  const say = failed.length > 0 || unrecorded !== null ? parts.tell.warn : parts.tell.info;
  say(text, restored.length === 0 ? {} : { [vscode.l10n.t('Undo')]: () => undo(agent, restored, parts) });
}

const names = (what: string, paths: readonly string[]): string[] =>
  paths.length === 0 ? [] : [`${what}: ${paths.join(', ')}.`];

const nameOf = ({ path, saved, after }: RestoredFile): string =>
  saved
    ? after === null
      ? vscode.l10n.t('{0} (removed)', path)
      : path
    : vscode.l10n.t('{0} (in the editor, not saved)', path);

/** What was changed once more since then is left alone, and named. */
async function undo(
  agent: AgentSession,
  restored: readonly RestoredFile[],
  parts: RestoreParts,
): Promise<void> {
  const back = restored.map(({ path, before, after }) => ({ path, wanted: before, seen: after }));
  await tellOutcome(agent, unwrap(await agent.restoreFiles(back)), [], parts);
}
