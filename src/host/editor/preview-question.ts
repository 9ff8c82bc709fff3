/**
 * Whether what the editor shows is to be written is asked where nothing of it is covered: by a notification, and, since VS
 * Code puts that away after some seconds, by two buttons in the title of the editor for as long as it is open.
 */
import * as vscode from 'vscode';
import type { Disposable } from '../../ports.js';
import { createBag } from '../disposables.js';

interface Question {
  /** The title of the editor. */
  title: string;
  /** All files together, or one that is asked about by itself: the buttons say so. */
  about: 'files' | 'file';
  /** False: it was not answered after all, and what is shown stays. */
  write: () => Promise<boolean>;
  /** Its editor is closed by now. Left: it was closed without an answer, or something else is asked in its place. */
  ended?: (how: End) => void;
  /** It was answered after it had ended. Without it such an answer is taken as ever. */
  tooLate?: () => void;
}

export type End = 'accepted' | 'discarded' | 'left';

/** The editor goes with its question. */
interface Answers {
  accept: () => Promise<void>;
  discard: () => Promise<void>;
}

/** Its own answers are those to the question whose editor is in front. */
export interface PreviewQuestions extends Answers, Disposable {
  /** About what was just shown under this title. Its answers are taken when its editor is gone, too. */
  ask: (question: Question) => Answers;
  /** Leaves all that is asked, and closes what was shown for it. */
  leaveAll: () => Promise<void>;
}

const ASKS = 'bough.previewAsks';

export function createPreviewQuestions(onError: (error: unknown) => void): PreviewQuestions {
  const bag = createBag();
  const asked = new Set<Question>();
  const inFront = (): Question | undefined => {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    return activeTab && [...asked].find(({ title }) => isOf(title)(activeTab));
  };
  const look = (): void => {
    const about = inFront()?.about ?? false;
    vscode.commands.executeCommand('setContext', ASKS, about).then(undefined, onError);
  };
  const end = async (question: Question, how: End): Promise<void> => {
    if (!asked.delete(question)) return;
    look();
    try {
      await vscode.window.tabGroups.close(tabsOf(question.title));
    } finally {
      question.ended?.(how);
    }
  };
  bag.add(
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      for (const question of [...asked]) {
        const isGone = closed.some(isOf(question.title)) && tabsOf(question.title).length === 0;
        if (isGone && asked.delete(question)) question.ended?.('left');
      }
      look();
    }),
  );
  bag.add(vscode.window.tabGroups.onDidChangeTabGroups(look));
  const isLate = (question: Question): boolean => question.tooLate !== undefined && !asked.has(question);
  const accept = async (question: Question | undefined): Promise<void> => {
    if (question === undefined) return;
    if (isLate(question)) question.tooLate?.();
    else if (await question.write()) await end(question, 'accepted');
  };
  const discard = async (question: Question | undefined): Promise<void> => {
    if (question === undefined) return;
    if (isLate(question)) question.tooLate?.();
    else await end(question, 'discarded');
  };
  return {
    ask(question) {
      for (const before of [...asked])
        if (before.title === question.title && asked.delete(before)) before.ended?.('left');
      asked.add(question);
      look();
      return { accept: () => accept(question), discard: () => discard(question) };
    },
    accept: () => accept(inFront()),
    discard: () => discard(inFront()),
    async leaveAll() {
      for (const question of [...asked]) await end(question, 'left');
    },
    dispose: () => bag.dispose(),
  };
}

const tabsOf = (title: string): vscode.Tab[] =>
  vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isOf(title)));

/** VS Code says behind the title how many files there are. */
const isOf =
  (title: string) =>
  ({ label }: vscode.Tab): boolean =>
    label === title || label.startsWith(`${title} (`);
