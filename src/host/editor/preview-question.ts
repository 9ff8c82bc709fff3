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
  /** False: it was not answered after all, and what is shown stays. */
  write: () => Promise<boolean>;
}

/** The editor goes with its question. */
interface Answers {
  accept: () => Promise<void>;
  discard: () => Promise<void>;
}

/** Its own answers are those to the question that stands. */
export interface PreviewQuestions extends Answers, Disposable {
  /** About what was just shown under this title. Its answers hold when another question has taken its place, too. */
  ask: (question: Question) => Answers;
}

const ASKS = 'bough.previewAsks';

export function createPreviewQuestions(onError: (error: unknown) => void): PreviewQuestions {
  const bag = createBag();
  let asked: Question | undefined;
  const look = (): void => {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const isInFront = asked !== undefined && activeTab !== undefined && isOf(asked.title)(activeTab);
    vscode.commands.executeCommand('setContext', ASKS, isInFront).then(undefined, onError);
  };
  const end = async (): Promise<void> => {
    const title = asked?.title;
    asked = undefined;
    look();
    if (title !== undefined) await vscode.window.tabGroups.close(tabsOf(title));
  };
  bag.add(
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      if (asked !== undefined && closed.some(isOf(asked.title)) && tabsOf(asked.title).length === 0)
        asked = undefined;
      look();
    }),
  );
  bag.add(vscode.window.tabGroups.onDidChangeTabGroups(look));
  return {
    ask(question) {
      asked = question;
      look();
      const endThis = async (): Promise<void> => (asked === question ? end() : undefined);
      return { accept: async () => ((await question.write()) ? endThis() : undefined), discard: endThis };
    },
    accept: async () => {
      const question = asked;
      if (question !== undefined && (await question.write()) && asked === question) await end();
    },
    discard: end,
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
