/** All commands, with what each of them needs. */
import { randomIds, systemClock } from '../clock.js';
import { readSetting } from '../configuration.js';
import { readRetention } from '../model/settings.js';
import type { Ground } from '../ground.js';
import type { Chats } from '../chat/chats.js';
import type { CodeBlocks } from '../editor/code-blocks.js';
import { showDiagnostics, type DiagnosticParts } from '../diagnostics.js';
import type { Output } from '../output.js';
import type { Reports } from '../reports.js';
import type { OtherFolders } from '../sessions/other-folders.js';
import type { SessionsTree } from '../sessions/tree.js';
import type { Teller } from '../tell.js';
import type { KeptFiles } from '../editor/kept-files.js';
import type { PreviewQuestions } from '../editor/preview-question.js';
import type { RestoreParts } from '../editor/restore.js';
import { addCommands } from './add.js';
import { approvalCommands } from './approval.js';
import { branchCommands } from './branch.js';
import { compareCommands } from './compare.js';
import type { Commands } from './commands.js';
import { copyCommands, type CopyCommandParts } from './copies.js';
import { exportCommands } from './export.js';
import { goalCommands } from './goal.js';
import { refuseLostRows } from './lost-row.js';
import { messageCommands } from './message.js';
import { modelCommands } from './model.js';
import { reviewCommands } from './review.js';
import { sessionCommands } from './session.js';
import { sessionOf, type Targets } from './target.js';
import { turnCommands } from './turn.js';
import { upkeepCommands } from './upkeep.js';

export interface AllCommandParts {
  ground: Ground;
  chats: Chats;
  tree: SessionsTree;
  folders: OtherFolders;
  reports: Reports;
  kept: KeptFiles;
  questions: PreviewQuestions;
  targets: Targets;
  tell: Teller;
  output: Output;
  code: CodeBlocks;
}

export function allCommands(parts: AllCommandParts): Commands {
  const { ground, chats, tree, folders, reports, targets, tell, output } = parts;
  const { storage, sessions, models } = ground;
  const now = () => systemClock.now();
  const shared = { store: storage.store, sessions, chats, tell };
  return refuseLostRows({
    ...sessionCommands({ ...shared, tree, ids: randomIds, targets, now }),
    ...copyCommands(copyParts(parts)),
    ...exportCommands({ ...shared, tree, targets, clean: output.clean }),
    ...upkeepCommands({
      ...shared,
      folders,
      tree,
      reports,
      retention: () => readRetention(readSetting),
      now,
    }),
    ...turnCommands(shared),
    ...approvalCommands({ sessions, chats, drafts: ground.drafts, tell }),
    ...goalCommands(shared),
    ...messageCommands(shared),
    ...branchCommands({ sessions, chats, reports, targets, restore: restoreParts(parts), tell }),
    ...compareCommands({ sessions, chats, tell }),
    ...reviewCommands({ sessions, targets, restore: restoreParts(parts) }),
    ...modelCommands({
      ...shared,
      models: models.models,
      keys: models.keys,
      providers: models.providers,
      onKeys: models.changed,
    }),
    'bough.session.otherFolders': () => folders.pick(),
    ...addCommands({ chats, terminals: ground.composer.terminals }),
    'bough.chat.show': async () => chats.show(await chats.ofSideBar()),
    'bough.chat.openInEditor': async (target) => chats.openInEditor(await sessionOf(target, targets)),
    'bough.code.apply': (change) => parts.code.accept(change),
    'bough.code.discard': (change) => parts.code.discard(change),
    'bough.restore.apply': parts.questions.accept,
    'bough.restore.discard': parts.questions.discard,
    'bough.restore.overwrite': parts.questions.accept,
    'bough.restore.keep': parts.questions.discard,
    'bough.mcp.servers': ground.mcp.show,
    'bough.tools.select': ground.lmTools.pick,
    'bough.diagnostics.show': async () => showDiagnostics(await diagnosticParts(parts)),
    'bough.log.show': () => {
      output.show();
      return Promise.resolve();
    },
  });
}

async function diagnosticParts({ ground, chats, output }: AllCommandParts): Promise<DiagnosticParts> {
  const { storage, models, sessions, tools } = ground;
  const current = sessions.peek(await chats.current());
  return {
    ...{ store: storage.store, models, output },
    root: storage.roots.present,
    model: { setting: readSetting('model'), session: current?.agent.model() },
    tools: () => tools.list(),
    mcp: ground.mcp.servers,
  };
}

export const restoreParts = ({ kept, questions, reports, tell }: AllCommandParts): RestoreParts => ({
  kept,
  questions,
  reports,
  tell,
});

export function copyParts({ ground, chats, tree, targets, tell }: AllCommandParts): CopyCommandParts {
  return { store: ground.storage.store, sessions: ground.sessions, chats, tree, targets, tell };
}
