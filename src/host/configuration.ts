/** The settings of this window, read anew each time. */
import * as vscode from 'vscode';
import type { ReadSetting } from './model/settings.js';

export const readSetting: ReadSetting = (name) => vscode.workspace.getConfiguration('bough').get(name);
