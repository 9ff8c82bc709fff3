/**
 * Signing in to servers: said when it is needed, begun by the person alone, who sees where they are sent before the browser
 * opens; cancelled at any time.
 */
import * as vscode from 'vscode';
import { cancelled } from '../../shared/failure.js';
import { asks } from '../asks.js';
import { Refusal, unwrap } from '../errors.js';
import type { Teller } from '../tell.js';
import { accountOf, type Account, type AccountParts } from './account.js';
import type { Speaker } from './connection.js';
import { openRedirect } from './redirect.js';
import type { Server } from './server.js';
import type { Known, McpServers } from './servers.js';

export interface AccountsParts extends AccountParts {
  load: () => Promise<Speaker>;
  fetch: typeof globalThis.fetch;
  tell: Teller;
  servers: () => McpServers;
}

export interface ServerAccounts {
  of(known: Known): Account;
  isSignedIn(known: Known): Promise<boolean>;
  /** Tells the person that it is needed. */
  tell(known: Known): void;
  signIn(known: Known, server: Server): Promise<void>;
  signOut(known: Known, server: Server): Promise<void>;
}

export function createAccounts(parts: AccountsParts): ServerAccounts {
  const all = new Map<string, Account>();
  const of = (known: Known): Account => {
    const account = all.get(known.id) ?? accountOf(known, parts);
    all.set(known.id, account);
    return account;
  };
  const accounts: ServerAccounts = {
    of,
    isSignedIn: async (known) => (await of(known).read()) !== undefined,
    tell(known) {
      const again = (): Promise<void> | undefined => {
        const entry = parts
          .servers()
          .list()
          .find((one) => one.known.id === known.id);
        return entry && accounts.signIn(known, entry.server);
      };
      const text = vscode.l10n.t('The MCP server “{0}” wants you to sign in.', known.name);
      parts.tell.info(text, { [vscode.l10n.t('Sign In…')]: again });
    },
    async signIn(known, server) {
      await visitInBrowser(parts, known, of(known));
      unwrap(await server.restart());
    },
    async signOut(known, server) {
      await of(known).write(undefined);
      await server.stop();
    },
  };
  return accounts;
}

async function visitInBrowser(parts: AccountsParts, { name }: Known, account: Account): Promise<void> {
  const { signIn } = await parts.load();
  const title = vscode.l10n.t('Signing in to the MCP server “{0}”', name);
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ title, location, cancellable: true }, async (_progress, token) => {
    const stop = new AbortController();
    const listening = token.onCancellationRequested(() => stop.abort());
    const redirect = await openRedirect(
      vscode.l10n.t('Bough has the answer. You can close this page and go back to the editor.'),
    );
    try {
      const { signal } = stop;
      const redirectUrl = (await vscode.env.asExternalUri(vscode.Uri.parse(redirect.url))).toString(true);
      const fetch: typeof globalThis.fetch = (input, init) => parts.fetch(input, { ...init, signal });
      const work = signIn(
        { account, fetch },
        {
          ...{ redirectUrl, state: redirect.state },
          visit: async (address) => {
            await openAfterYes(name, account.url ?? '', address);
            return redirect.answer;
          },
        },
      );
      await orCancelled(work, signal);
    } finally {
      redirect.dispose();
      listening.dispose();
    }
  });
}

async function openAfterYes(name: string, url: string, address: URL): Promise<void> {
  const open = vscode.l10n.t('Open Browser');
  const chosen = await asks.showInformationMessage(
    vscode.l10n.t('Sign in to the MCP server “{0}” at {1}?', name, address.origin),
    {
      modal: true,
      detail: vscode.l10n.t(
        'The server at {0} sends you there. What Bough gets is kept in the secret storage of VS Code and goes to that server only.',
        URL.parse(url)?.origin ?? url,
      ),
    },
    open,
  );
  if (chosen !== open) throw new Refusal(cancelled('Nobody signed in.'));
  // As a text: a Uri of VS Code decodes what stands encoded in the address.
  const openText = vscode.env.openExternal as (target: unknown) => Thenable<boolean>;
  if (!(await openText(address.href)))
    throw new Refusal({
      kind: 'refused',
      message: vscode.l10n.t('The browser was not opened; nobody signed in.'),
      transient: false,
    });
}

/** What still waits for the browser is left alone. */
function orCancelled(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Refusal(cancelled('Nobody signed in.')));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject);
  });
}
