/**
 * Approvals the person asked to remember: for a session in its log, otherwise in the setting `bough.approval.rules` of the
 * machine, outside every repository. Only patterns are kept, never whole commands.
 */
import type { ApprovalRules } from '../agent/types.js';
import { isHashed, matchesPattern, patternFor, patternWords } from './approval-patterns.js';

export interface Rule {
  tool: string;
  pattern: string;
  /** URI of the only folder it counts in. */
  folder?: string;
  /** What it allows, in words: of a hash nobody could read it. */
  about?: string;
}

/** A rule that lasts was added. */
export interface AddedRule {
  /** What is allowed from now on, and where. */
  words: string;
  /** Takes it back. */
  undo: () => Promise<void>;
}

/** Where the lasting rules stand. */
export interface RuleStore {
  read(): unknown;
  write(rules: Rule[]): Promise<void>;
}

export function createApprovalRules(
  store: RuleStore,
  folder: string | undefined,
  onAdded: (added: AddedRule) => void = () => undefined,
): ApprovalRules {
  const isSame = (one: Rule, other: Rule) =>
    one.tool === other.tool && one.pattern === other.pattern && one.folder === other.folder;
  const counts = (rule: Rule) => rule.folder === undefined || rule.folder === folder;
  return {
    allows({ tool, subject }, ofSession) {
      const rules: Rule[] = [...ofSession, ...readRules(store.read())];
      return rules.some(
        (rule) => rule.tool === tool && counts(rule) && matchesPattern(tool, rule.pattern, subject),
      );
    },
    describe: ({ tool, subject }) => patternWords(tool, patternFor(tool, subject)),
    async remember({ tool, subject }, scope) {
      const rule: Rule = { tool, pattern: patternFor(tool, subject) };
      // Without a folder there is no workspace to keep it for; wider than asked it must not be.
      if (scope === 'session' || (scope === 'workspace' && folder === undefined)) return rule;
      if (scope === 'workspace' && folder !== undefined) rule.folder = folder;
      const rules = readRules(store.read());
      if (rules.some((known) => isSame(known, rule))) return null;
      const about = patternWords(tool, rule.pattern);
      await store.write([...rules, isHashed(rule.pattern) ? { ...rule, about } : rule]);
      onAdded({
        words: `${about}, ${rule.folder === undefined ? 'in any folder' : 'in this folder'}`,
        undo: () => store.write(readRules(store.read()).filter((known) => !isSame(known, rule))),
      });
      return null;
    },
  };
}

/** What stands in the setting, without what is no rule. */
export function readRules(value: unknown): Rule[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [];
    const { tool, pattern, folder, about } = item as Record<string, unknown>;
    if (typeof tool !== 'string' || typeof pattern !== 'string' || pattern === '') return [];
    if (folder !== undefined && typeof folder !== 'string') return [];
    return [
      {
        tool,
        pattern,
        ...(folder === undefined ? {} : { folder }),
        ...(typeof about === 'string' ? { about } : {}),
      },
    ];
  });
}
