/**
 * Approvals the person asked to remember: for a session in its log, otherwise in the setting `bough.approval.rules` of the
 * machine, outside every repository. Only patterns are kept, never whole commands.
 */
import type { ApprovalRules } from '../agent/types.js';
import { matchesPattern, patternFor } from './approval-patterns.js';

export interface Rule {
  tool: string;
  pattern: string;
  /** URI of the only folder it counts in. */
  folder?: string;
}

/** Where the lasting rules stand. */
export interface RuleStore {
  read(): unknown;
  write(rules: Rule[]): Promise<void>;
}

export function createApprovalRules(store: RuleStore, folder: string | undefined): ApprovalRules {
  const counts = (rule: Rule) => rule.folder === undefined || rule.folder === folder;
  return {
    allows({ tool, subject }, ofSession) {
      const rules: Rule[] = [...ofSession, ...readRules(store.read())];
      return rules.some(
        (rule) => rule.tool === tool && counts(rule) && matchesPattern(tool, rule.pattern, subject),
      );
    },
    async remember({ tool, subject }, scope) {
      const rule: Rule = { tool, pattern: patternFor(tool, subject) };
      // Without a folder there is no workspace to keep it for; wider than asked it must not be.
      if (scope === 'session' || (scope === 'workspace' && folder === undefined)) return rule;
      if (scope === 'workspace' && folder !== undefined) rule.folder = folder;
      const rules = readRules(store.read());
      const isKnown = rules.some(
        (known) => known.tool === rule.tool && known.pattern === rule.pattern && known.folder === rule.folder,
      );
      if (!isKnown) await store.write([...rules, rule]);
      return null;
    },
  };
}

/** What stands in the setting, without what is no rule. */
export function readRules(value: unknown): Rule[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [];
    const { tool, pattern, folder } = item as Record<string, unknown>;
    if (typeof tool !== 'string' || typeof pattern !== 'string' || pattern === '') return [];
    if (folder !== undefined && typeof folder !== 'string') return [];
    return [folder === undefined ? { tool, pattern } : { tool, pattern, folder }];
  });
}
