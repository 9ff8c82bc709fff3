/** The dot behind the row of the session that is on show. */
import * as vscode from 'vscode';

export const ON_SHOW = vscode.Uri.parse('bough-session:/on-show');

export function registerOnShow(): vscode.Disposable {
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: (uri) =>
      uri.scheme === ON_SHOW.scheme ? { badge: '●', tooltip: vscode.l10n.t('On show') } : undefined,
  });
}
