/** Where a name is used, by the language service of the editor: no text that only reads the same. */
import * as z from 'zod';
import type {
  FoundReferences,
  SymbolPlace,
  Tool,
  ToolContext,
  ToolOutcome,
  WorkspacePath,
} from '../ports.js';
import { isFailure, toolFailure, type Failure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { count, head, oneLine } from './text.js';

const MAX_SHOWN = 200;
const MAX_LINE = 300;

const schema = z.strictObject({
  path: z.string().min(1).describe('File in which the name stands.'),
  symbol: z
    .string()
    .regex(/\S/, 'must not be blank')
    .max(200)
    .optional()
    .describe('The name: total, or Basket.total.'),
  line: z.int().min(1).optional().describe('Line it stands on. Default: its first place in the file.'),
});

export const referencesTool: Tool = {
  spec: {
    name: 'references',
    description:
      'All places where a function, type or variable is used, by the language service of the editor. Name the file and the ' +
      'symbol, the line, or both. Each hit is one line: path:line: text.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  async prepare(input, context) {
    const wanted = await wantedOf(input, context);
    if (isFailure(wanted)) return wanted;
    const { path, place } = wanted;
    const what = place.symbol === undefined ? `line ${String(place.line)}` : oneLine(place.symbol, 60);
    const sentence = `Find references to ${what} of ${path.shown}`;
    return { tool: 'references', input, sentence, risk: 'read', targets: [], subject: path.shown };
  },

  async run(prepared, context) {
    const wanted = await wantedOf(prepared.input, context);
    if (isFailure(wanted)) return refused(wanted);
    const found = await context.workspace.language.references(wanted.path, wanted.place);
    return isFailure(found) ? refused(found) : tell(wanted.path, found);
  },
};

async function wantedOf(
  input: unknown,
  { workspace }: ToolContext,
): Promise<{ path: WorkspacePath; place: SymbolPlace } | Failure> {
  const wanted = parseInput('references', schema, input);
  if (isFailure(wanted)) return wanted;
  const { path, symbol, line } = wanted;
  if (symbol === undefined && line === undefined)
    return toolFailure('invalid-input', 'Give the symbol, the line it stands on, or both.');
  const file = await workspace.resolve(path);
  if (isFailure(file)) return file;
  return {
    path: file,
    place: { ...(symbol === undefined ? {} : { symbol }), ...(line === undefined ? {} : { line }) },
  };
}

function tell({ shown }: WorkspacePath, { of, hits, outside }: FoundReferences): ToolOutcome {
  const notes =
    outside === 0 ? [] : [`[${count(outside, 'more place')} outside the workspace or beyond what is told.]`];
  if (hits.length === 0) {
    const none = `No language service knows where ${of.name} (${shown}:${String(of.line)}) is used. Use search.`;
    return { content: [none, ...notes].join('\n'), is_error: false, outcome: 'none' };
  }
  const lines = hits
    .slice(0, MAX_SHOWN)
    .map(({ path, line, text }) => `${path.shown}:${String(line)}: ${head(text, MAX_LINE)}`);
  const left = hits.length - lines.length;
  if (left > 0) notes.unshift(`[${count(left, 'more place')} not shown.]`);
  const title = `${of.name}, as on line ${String(of.line)} of ${shown}:`;
  return {
    content: [title, ...lines, ...notes].join('\n'),
    is_error: false,
    outcome: count(hits.length, 'reference'),
  };
}
