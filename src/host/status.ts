/** The status-bar item: the state of the run that matters most; a click goes to what needs the person. */
import * as vscode from 'vscode';
import type { RunState } from '../shared/protocol.js';

const looks: Readonly<Record<RunState, { text: string; tooltip: string; command: string; warns?: true }>> = {
  idle: { text: '$(comment-discussion) Bough', tooltip: 'Show the chat', command: 'bough.chat.show' },
  running: {
    text: '$(sync) Bough: working',
    tooltip: 'Bough works. Show the chat',
    command: 'bough.chat.show',
  },
  stopping: {
    text: '$(sync) Bough: stopping',
    tooltip: 'Bough is stopping. Show the chat',
    command: 'bough.chat.show',
  },
  retrying: {
    text: '$(history) Bough: waiting to retry',
    tooltip: 'A request failed and will be sent again. Show the chat',
    command: 'bough.chat.show',
  },
  parked: {
    text: '$(history) Bough: needs you',
    tooltip: 'The server asks for a long wait. Show the choices',
    command: 'bough.approval.next',
    warns: true,
  },
  waiting: {
    text: '$(question) Bough: needs you',
    tooltip: 'Bough asks before it goes on. Show the approval',
    command: 'bough.approval.next',
    warns: true,
  },
};

export interface Status extends vscode.Disposable {
  show: (run: RunState) => void;
}

export function createStatus(): Status {
  const item = vscode.window.createStatusBarItem('bough.run', vscode.StatusBarAlignment.Left);
  item.name = 'Bough';
  const show = (run: RunState) => {
    const { text, tooltip, command, warns } = looks[run];
    item.text = text;
    item.tooltip = tooltip;
    item.command = command;
    item.backgroundColor = warns ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.accessibilityInformation = { label: `Bough: ${run}`, role: 'button' };
  };
  show('idle');
  item.show();
  return { show, dispose: () => item.dispose() };
}
