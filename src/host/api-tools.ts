/** Tools of other extensions beside ours: approved, logged and answered like them. */
import type { Disposable, Prepared, Tool } from '../ports.js';
import { BoughError, toolFailure } from '../shared/failure.js';
import type { ExtensionTool } from './api.js';

export interface ToolBox {
  /** Ours first, then those of others in the order they came. */
  list(): readonly Tool[];
  /** @throws BoughError InvalidArgument when the name cannot be taken */
  register(tool: ExtensionTool): Disposable;
}

/** What every provider takes as a name. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const SHOWN_INPUT = 120;

export function createToolBox(ours: readonly Tool[]): ToolBox {
  const others: Tool[] = [];
  const list = () => [...ours, ...others];
  return {
    list,
    register(given) {
      if (!NAME.test(given.name))
        throw invalid(`"${given.name}" cannot name a tool: letters, digits, _ and -, at most 64 of them.`);
      if (list().some(({ spec }) => spec.name === given.name))
        throw invalid(`There is a tool "${given.name}" already. Choose another name.`);
      const tool = toolOf(given);
      others.push(tool);
      return { dispose: () => void (others.includes(tool) && others.splice(others.indexOf(tool), 1)) };
    },
  };
}

const invalid = (message: string): BoughError => new BoughError('InvalidArgument', message);

function toolOf({ name, description, inputSchema, risk, describe, run }: ExtensionTool): Tool {
  return {
    spec: { name, description, input_schema: structuredClone(inputSchema) },
    risk,
    prepare(input): Promise<Prepared | ReturnType<typeof toolFailure>> {
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        return Promise.resolve(toolFailure('invalid-input', `The input of ${name} must be an object.`));
      const sentence = describe?.(input as Record<string, unknown>) ?? `${name} ${shortJson(input)}`;
      // A remembered rule is for the tool as a whole: what its input means is not known here, and may hold secrets.
      return Promise.resolve({ tool: name, input, sentence, risk, targets: [], subject: name });
    },
    async run(prepared, { signal, report }) {
      const result = await run(prepared.input as Record<string, unknown>, { signal, report });
      const { text, isError = false } = typeof result === 'string' ? { text: result } : result;
      return { content: text, is_error: isError };
    },
  };
}

function shortJson(input: object): string {
  const json = JSON.stringify(input);
  return json.length <= SHOWN_INPUT ? json : `${[...json].slice(0, SHOWN_INPUT).join('')}…`;
}
