/** Which extensions there are in this host. */
import * as vscode from 'vscode';

/** Its id as the extension itself writes it; undefined when none of this id is installed and enabled. */
export const installedId = (id: string): string | undefined => vscode.extensions.getExtension(id)?.id;
