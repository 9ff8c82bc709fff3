/**
 * Tools that other extensions registered with VS Code, as tools of ours: asked about like them, whatever their extension
 * says. Offered without being chosen: those of extensions that the person installed. VS Code's own, and those whose
 * extension is not known here, only when they were chosen for this workspace.
 */
import * as vscode from 'vscode';
import type { Prepared, Tool, ToolOutcome } from '../../ports.js';
import { toolFailure } from '../../shared/failure.js';
import { asks } from '../asks.js';
import { plainLabel } from '../labels.js';
import { toolNames } from '../mcp/names.js';
import { lmOutcome } from './lm-result.js';

export interface LmTools {
  /** `taken`: names that are ours. */
  tools: (taken: ReadonlySet<string>) => readonly Tool[];
  /** Lets the person choose. */
  pick: () => Promise<void>;
}

/** Names with what the person chose for them; what is not there is as it comes. */
type Choices = Readonly<Record<string, boolean>>;
const CHOICES = 'tools.chosen';

interface Source {
  /** "publisher.name". */
  extension: string;
  title: string;
  isOn: boolean;
}

/** `state`: of the workspace. */
export function createLmTools(state: vscode.Memento): LmTools {
  const choices = (): Choices => state.get<Choices>(CHOICES, {});
  return {
    tools: (taken) => {
      if (!vscode.workspace.isTrusted) return [];
      const sources = sourcesByName();
      const chosen = choices();
      const offered = vscode.lm.tools.filter(({ name }) => chosen[name] ?? sources.get(name)?.isOn ?? false);
      const names = toolNames(
        offered.map(({ name }) => ({ parts: [name], identity: `vscode.lm\n${name}` })),
        taken,
      );
      return offered.map((tool, index) => asTool(names[index] ?? tool.name, tool, sources.get(tool.name)));
    },
    pick: async () => {
      const sources = sourcesByName();
      const chosen = choices();
      // Those of extensions first: VS Code's own are many, and hardly ever of use here.
      const known = [...vscode.lm.tools].sort(
        (a, b) => Number(sources.has(b.name)) - Number(sources.has(a.name)),
      );
      const items = known.map((tool) => itemOf(tool, sources.get(tool.name), chosen));
      const picked = await asks.showQuickPick(items, {
        title: vscode.l10n.t('Tools of Extensions'),
        placeHolder:
          items.length === 0
            ? vscode.l10n.t('No extension has registered a tool with VS Code.')
            : vscode.l10n.t('What the model may ask for in this workspace; each call is still asked about'),
        canPickMany: true,
        matchOnDescription: true,
        matchOnDetail: true,
      });
      if (picked === undefined) return;
      const on = new Set(picked.map(({ name }) => name));
      const now = Object.fromEntries(items.map(({ name }) => [name, on.has(name)]));
      await state.update(CHOICES, { ...chosen, ...now });
    },
  };
}

interface Item extends vscode.QuickPickItem {
  name: string;
}

function itemOf(
  tool: vscode.LanguageModelToolInformation,
  source: Source | undefined,
  chosen: Choices,
): Item {
  const words = source === undefined ? ['VS Code'] : [tool.name, source.extension];
  return {
    name: tool.name,
    label: plainLabel(source?.title ?? tool.name),
    description: plainLabel([...words, ...tool.tags].join(' · ')),
    detail: plainLabel(tool.description.split('\n')[0] ?? ''),
    picked: chosen[tool.name] ?? source?.isOn ?? false,
  };
}

/** Its tools do what ours do, and most work in VS Code's own chat only. */
const isChatOfVscode = (id: string): boolean => /^github\.copilot/i.test(id);

/** Which extension brings which tool: VS Code says so in their manifests only. */
function sourcesByName(): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const { id, packageJSON } of vscode.extensions.all) {
    const manifest = packageJSON as { isBuiltin?: unknown; contributes?: { languageModelTools?: unknown } };
    const contributed = manifest.contributes?.languageModelTools;
    for (const tool of Array.isArray(contributed) ? (contributed as unknown[]) : []) {
      const { name, displayName } = (tool ?? {}) as { name?: unknown; displayName?: unknown };
      if (typeof name !== 'string') continue;
      const title = typeof displayName === 'string' && displayName !== '' ? displayName : name;
      sources.set(name, { extension: id, title, isOn: manifest.isBuiltin !== true && !isChatOfVscode(id) });
    }
  }
  return sources;
}

function asTool(name: string, tool: vscode.LanguageModelToolInformation, source: Source | undefined): Tool {
  const owner = source?.extension ?? 'VS Code';
  return {
    spec: {
      name,
      description: `${tool.description}\n(A tool of ${owner}.)`.trim(),
      input_schema: { type: 'object', properties: {}, ...tool.inputSchema },
    },
    // What it does is not known here.
    risk: 'run',
    prepare(input) {
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        return Promise.resolve(toolFailure('invalid-input', `The input of ${name} must be an object.`));
      const sentence = `Call ${source?.title ?? tool.name} of ${owner}`;
      const prepared: Prepared = {
        ...{ tool: name, input, sentence, risk: 'run', targets: [] },
        subject: `${owner} ${tool.name}`,
      };
      return Promise.resolve(prepared);
    },
    run: (prepared, { signal }) => invoke(tool.name, prepared.input as object, signal),
  };
}

async function invoke(name: string, input: object, signal: AbortSignal): Promise<ToolOutcome> {
  const source = new vscode.CancellationTokenSource();
  const stop = (): void => source.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    const options = { input, toolInvocationToken: undefined };
    return lmOutcome((await vscode.lm.invokeTool(name, options, source.token)).content);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { content: `The tool ${name} failed: ${why}`, is_error: true };
  } finally {
    signal.removeEventListener('abort', stop);
    source.dispose();
  }
}
