/** Names that a language service knows: the outline of a file, or those of the workspace that match a query. */
import * as z from 'zod';
import type { FoundSymbol, Tool, ToolContext, ToolOutcome, WorkspacePath } from '../ports.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { count, oneLine } from './text.js';

const MAX_SHOWN = 400;

const schema = z.strictObject({
  path: z.string().min(1).optional().describe('File whose outline is wanted.'),
  query: z
    .string()
    .regex(/\S/, 'must not be blank')
    .max(200)
    .optional()
    .describe('Name, or a part of one, to find in the workspace.'),
});

type Wanted = { path: WorkspacePath } | { query: string };

export const symbolsTool: Tool = {
  spec: {
    name: 'symbols',
    description:
      'Functions, classes and the like, by the language service of the editor: give path for the outline of a file, or ' +
      'query to find where names are defined in the workspace. Where no service knows the language, use search.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  async prepare(input, context) {
    const wanted = await wantedOf(input, context);
    if (isFailure(wanted)) return wanted;
    const isFile = 'path' in wanted;
    return {
      tool: 'symbols',
      input,
      sentence: isFile ? `Outline ${wanted.path.shown}` : `Find the symbol ${oneLine(wanted.query, 60)}`,
      risk: 'read',
      targets: [],
      subject: isFile ? wanted.path.shown : '.',
    };
  },

  async run(prepared, context) {
    const wanted = await wantedOf(prepared.input, context);
    if (isFailure(wanted)) return refused(wanted);
    const { language } = context.workspace;
    const found =
      'path' in wanted ? await language.symbols(wanted.path) : await language.findSymbols(wanted.query);
    return isFailure(found) ? refused(found) : tell(wanted, found);
  },
};

async function wantedOf(input: unknown, { workspace }: ToolContext): Promise<Wanted | Failure> {
  const wanted = parseInput('symbols', schema, input);
  if (isFailure(wanted)) return wanted;
  const { path, query } = wanted;
  if ((path === undefined) === (query === undefined))
    return toolFailure('invalid-input', 'Give either the path of a file or a query, and not both.');
  if (query !== undefined) return { query };
  const place = await workspace.resolve(path ?? '');
  return isFailure(place) ? place : { path: place };
}

function tell(wanted: Wanted, found: readonly FoundSymbol[]): ToolOutcome {
  if (found.length === 0) {
    const none =
      'path' in wanted
        ? `No language service knows symbols in ${wanted.path.shown}. Read it, or use search.`
        : `No language service knows a symbol like ${wanted.query}. Use search: a service knows only projects it has looked at.`;
    return { content: none, is_error: false, outcome: 'none' };
  }
  const lines = found.slice(0, MAX_SHOWN).map('path' in wanted ? outlineLine : placeLine);
  const left = found.length - lines.length;
  if (left > 0) lines.push(`[${count(left, 'more symbol')} not shown.]`);
  return { content: lines.join('\n'), is_error: false, outcome: count(found.length, 'symbol') };
}

const outlineLine = ({ depth, kind, name, line }: FoundSymbol): string =>
  `${'  '.repeat(depth)}${kind} ${name} · line ${String(line)}`;

const placeLine = ({ path, line, kind, name, container }: FoundSymbol): string =>
  `${path.shown}:${String(line)}: ${kind} ${name}${container === undefined ? '' : ` in ${container}`}`;
