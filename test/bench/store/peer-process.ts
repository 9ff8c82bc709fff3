/** One measurement of the peer's store in a process of its own: `WORK FOLDER ID MODULE`. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { SEARCHED, measured, told, type Works } from './measured.js';

interface PeerMessage {
  role: string;
  content?: string | readonly { type: string; text?: string }[];
}
interface PeerSession {
  getEntries(): readonly { id: string; parentId: string | null }[];
  getLeafId(): string | null;
  branch(id: string): void;
  buildSessionContext(): { messages: readonly PeerMessage[] };
  createBranchedSession(leaf: string): string | undefined;
  appendMessage(message: object): string;
}
interface PeerModule {
  SessionManager: {
    open(file: string, folder?: string): PeerSession;
    create(cwd: string, folder: string): PeerSession;
    list(
      cwd: string,
      folder: string,
    ): Promise<readonly { id: string; messageCount: number; allMessagesText: string }[]>;
  };
}

const [work = '', folder = '', id = '', file = ''] = process.argv.slice(2);
const { SessionManager } = (await import(pathToFileURL(file).href)) as PeerModule;
const sessions = path.join(folder, 'peer');
const open = (name: string): PeerSession =>
  SessionManager.open(path.join(sessions, `${name}.jsonl`), sessions);

const textsOf = ({ content }: PeerMessage): string[] =>
  Array.isArray(content)
    ? content.flatMap((part: { type: string; text?: string }) =>
        part.type === 'text' ? [part.text ?? ''] : [],
      )
    : [];
type Context = ReturnType<PeerSession['buildSessionContext']>;
const toldIn = ({ messages }: Context): string =>
  told(messages.flatMap((message) => (message.role === 'compactionSummary' ? [] : textsOf(message))));

const message = (index: number): object => ({
  role: 'user',
  content: [{ type: 'text', text: `entry ${String(index)} ${'x'.repeat(400)}` }],
  timestamp: Date.now(),
});

const works: Works = {
  open: () =>
    measured(
      () => {
        const session = open(id);
        return { session, context: session.buildSessionContext() };
      },
      ({ session, context }) => ({ count: session.getEntries().length, context: toldIn(context) }),
    ),
  'open to context': () => works['open']?.('', '') ?? Promise.reject(new Error('there is no such work')),
  'cached context': () => {
    const session = open(id);
    session.buildSessionContext();
    return measured(
      () => session.buildSessionContext(),
      (context) => ({ context: toldIn(context) }),
    );
  },
  /** To the head that the other side says. */
  switch: () => {
    const session = open(id);
    session.buildSessionContext();
    const head = process.argv[6] ?? '';
    return measured(
      () => {
        session.branch(head);
        return session.buildSessionContext();
      },
      (context) => ({ head, context: toldIn(context) }),
    );
  },
  fork: () =>
    measured(() => {
      const session = open(id);
      session.createBranchedSession(session.getLeafId() ?? '');
    }),
  burst: () => {
    const session = SessionManager.create('/bench', sessions);
    session.appendMessage(message(0));
    return measured(
      () => {
        for (let index = 0; index < 1_000; index++) session.appendMessage(message(index));
      },
      () => ({ count: session.getEntries().length }),
    );
  },
  search: () =>
    measured(
      async () => {
        const rows = await SessionManager.list('/bench', sessions);
        return rows.filter((row) => row.allMessagesText.toLowerCase().includes(SEARCHED));
      },
      (hits) => ({
        hits: hits
          .map((row) => row.id)
          .sort()
          .join(' '),
      }),
    ),
  list: () =>
    measured(
      () => SessionManager.list('/bench', sessions),
      (rows) => ({
        count: rows.length,
        messages: rows.reduce((sum, row) => sum + row.messageCount, 0),
      }),
    ),
};

const run = works[work];
if (run === undefined) throw new Error(`there is no work ${work}`);
process.stdout.write(`${JSON.stringify(await run(folder, id))}\n`);
process.exit(0);
