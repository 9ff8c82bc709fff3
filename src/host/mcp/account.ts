/**
 * What is kept of a sign-in to a server over HTTP: in VS Code's secret storage only, for the address it was made at, and
 * never in a log. Free of vscode and of the protocol's library.
 */
import * as z from 'zod';
import type { Known } from './servers.js';

const signedInSchema = z.object({
  /** Another address of the same name is another server. */
  url: z.string(),
  issuer: z.string(),
  tokens: z.looseObject({
    access_token: z.string(),
    token_type: z.string(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
  }),
  client: z.looseObject({ client_id: z.string(), client_secret: z.string().optional() }),
  /** What the server of the tokens says of itself. */
  metadata: z.unknown(),
  resource: z.string().optional(),
});

export type SignedIn = z.infer<typeof signedInSchema>;

/** What a server said when it refused: where and for what to sign in. */
export interface Challenge {
  scope?: string | undefined;
  resourceMetadataUrl?: URL | undefined;
}

export interface Account {
  /** Where the server was reached last, with everything put in. */
  url: string | undefined;
  /** By the configuration, with which it was reached last. */
  clientId: string | undefined;
  read(): Promise<SignedIn | undefined>;
  write(signedIn: SignedIn | undefined): Promise<void>;
  /** Of the last refusal. */
  challenge: Challenge;
}

export interface AccountParts {
  secrets: {
    get: (name: string) => PromiseLike<string | undefined>;
    store: (name: string, value: string) => PromiseLike<void>;
    delete: (name: string) => PromiseLike<void>;
  };
  /** These words never appear in a log from now on. */
  hide: (words: readonly string[]) => void;
}

export function accountOf({ scope, name: server }: Known, { secrets, hide }: AccountParts): Account {
  const name = `mcp-account:${scope}:${server}`;
  const hideAll = ({ tokens, client }: SignedIn): void =>
    hide(
      [tokens.access_token, tokens.refresh_token, client.client_secret].filter((word) => word !== undefined),
    );
  return {
    url: undefined,
    clientId: undefined,
    challenge: {},
    async read() {
      const text = await secrets.get(name);
      const read = text === undefined ? undefined : signedInSchema.safeParse(JSON.parse(text));
      if (read?.data !== undefined) hideAll(read.data);
      return read?.data;
    },
    async write(signedIn) {
      if (signedIn === undefined) return secrets.delete(name);
      hideAll(signedIn);
      await secrets.store(name, JSON.stringify(signedIn));
    },
  };
}
