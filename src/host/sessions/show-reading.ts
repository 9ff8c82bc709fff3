/** A list that takes long says how far it is, and has a button that ends it. */
import * as vscode from 'vscode';
import type { ListProgress } from '../../log/list-reading.js';
import type { Clock, Disposable } from '../../ports.js';
import type { ReadingLists } from './reading-lists.js';

/** One that is read sooner needs no words. */
const SOON_MS = 1_000;

export interface ShowReadingParts {
  reading: Pick<ReadingLists, 'on' | 'stop'>;
  clock: Clock;
}

/** What is on show of one reading. */
interface Shown {
  say: (progress: ListProgress) => void;
  end: () => void;
}

export function showReading({ reading, clock }: ShowReadingParts): Disposable {
  let timer: Disposable | undefined;
  let last: ListProgress | null = null;
  let shown: Shown | undefined;
  const end = (): void => {
    timer?.dispose();
    timer = undefined;
    shown?.end();
    shown = undefined;
  };
  const listening = reading.on((progress) => {
    last = progress;
    if (progress === null) return end();
    shown?.say(progress);
    timer ??= clock.after(SOON_MS, () => {
      if (last !== null) shown = show(last, () => reading.stop());
    });
  });
  return {
    dispose: () => {
      listening.dispose();
      end();
    },
  };
}

function show(first: ListProgress, stop: () => void): Shown {
  let shown = -1;
  let report: ((progress: ListProgress) => void) | undefined;
  let end = (): void => undefined;
  const title = vscode.l10n.t('Reading the sessions');
  const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
  void vscode.window.withProgress(options, (progress, token) => {
    token.onCancellationRequested(stop);
    report = ({ read, of }) => {
      const percent = Math.floor((100 * read) / of);
      if (percent === shown) return;
      progress.report({
        increment: percent - Math.max(shown, 0),
        message: vscode.l10n.t('{0} of {1}', read, of),
      });
      shown = percent;
    };
    report(first);
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return { say: (progress) => report?.(progress), end: () => end() };
}
