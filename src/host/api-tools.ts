/** Tools of other extensions beside ours: approved, logged and answered like them. */
import type { Disposable, Prepared, Tool } from '../ports.js';
import { BoughError, toolFailure } from '../shared/failure.js';
import type { ExtensionTool } from './api.js';
import type { ToolSources } from './tool-sources.js';

export interface ToolBox {
  /** Ours first, then those of others in the order they came, then those that come and go. */
  list(): readonly Tool[];
  /** @throws BoughError InvalidArgument when the name cannot be taken */
  register(tool: ExtensionTool): Disposable;
}

/** What every provider takes as a name. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const SHOWN_INPUT = 120;

export function createToolBox(ours: readonly Tool[], more: ToolSources = none): ToolBox {
  const others: Tool[] = [];
  const list = () => {
    const fixed = [...ours, ...others];
    return [...fixed, ...more.list(new Set(fixed.map(({ spec }) => spec.name)))];
  };
  return {
    list,
    register(given) {
      if (!NAME.test(given.name))
        throw invalid(`"${given.name}" cannot name a tool: letters, digits, _ and -, at most 64 of them.`);
      if (list().some(({ spec }) => spec.name === given.name))
        throw invalid(`There is a tool "${given.name}" already. Choose another name.`);
      const wrong = misfitOf(given);
      if (wrong !== undefined) throw invalid(`The tool ${given.name} cannot be taken: ${wrong}`);
      const tool = toolOf(given);
      others.push(tool);
      return { dispose: () => void (others.includes(tool) && others.splice(others.indexOf(tool), 1)) };
    },
  };
}

const none: ToolSources = { list: () => [] };

const RISKS: readonly unknown[] = ['read', 'write', 'run', 'net'];

/** Other extensions are not held to our types, and what a provider refuses would end every request. */
function misfitOf({ description, inputSchema, risk, run }: ExtensionTool): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') return 'its description is no text.';
  if (typeof inputSchema !== 'object' || inputSchema === null || inputSchema['type'] !== 'object')
    return 'its inputSchema is no JSON Schema of type "object".';
  if (!RISKS.includes(risk)) return `its risk is "${String(risk)}", not read, write, run or net.`;
  return typeof run === 'function' ? undefined : 'it has no function run.';
}

const invalid = (message: string): BoughError => new BoughError('InvalidArgument', message);

function toolOf({ name, description, inputSchema, risk, describe, run }: ExtensionTool): Tool {
  return {
    spec: { name, description, input_schema: structuredClone(inputSchema) },
    risk,
    prepare(input): Promise<Prepared | ReturnType<typeof toolFailure>> {
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        return Promise.resolve(toolFailure('invalid-input', `The input of ${name} must be an object.`));
      const said: unknown = describe?.(copyOf(input));
      const sentence = typeof said === 'string' && said.trim() !== '' ? said : `${name} ${shortJson(input)}`;
      // A remembered rule is for the tool as a whole: what its input means is not known here, and may hold secrets.
      return Promise.resolve({ tool: name, input, sentence, risk, targets: [], subject: name });
    },
    async run(prepared, { signal, report, operation_key }) {
      const result: unknown = await run(copyOf(prepared.input), {
        ...{ signal, report },
        ...(operation_key === undefined ? {} : { operationKey: operation_key }),
      });
      if (typeof result === 'string') return { content: result, is_error: false };
      const { text, isError } = (result ?? {}) as { text?: unknown; isError?: unknown };
      if (typeof text !== 'string')
        return { content: `The tool ${name} ran, but gave no text as its result.`, is_error: true };
      return { content: text, is_error: isError === true };
    },
  };
}

/** The input stands in the log, and on the card: whoever is given it may change it. */
const copyOf = (input: unknown) => structuredClone(input) as Record<string, unknown>;

function shortJson(input: object): string {
  const json = JSON.stringify(input);
  return json.length <= SHOWN_INPUT ? json : `${[...json].slice(0, SHOWN_INPUT).join('')}…`;
}
