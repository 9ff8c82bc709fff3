/** Finds lines by text or regular expression, with file and line number; ignored files are left out. */
import * as z from 'zod';
import type { SearchHit, SearchQuery, SearchResult, Tool, ToolContext, ToolOutcome } from '../ports.js';
import { isFailure, type Failure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { inWords, lookIn, whereWords } from './look-in.js';
import { refused } from './outcome.js';
import { count, head, oneLine } from './text.js';

const DEFAULT_RESULTS = 100;
const MAX_LINE = 300;
const MAX_CHARS = 60_000;

const schema = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe('Text to find, case-sensitive; a regular expression when regex is true.'),
  path: z.string().min(1).optional().describe('File or folder to search in. Default: the whole workspace.'),
  regex: z
    .boolean()
    .optional()
    .describe('Take pattern as a regular expression (Rust syntax). Default: false.'),
  max_results: z.int().min(1).max(1000).optional().describe(`Default: ${DEFAULT_RESULTS}.`),
});
type Input = z.infer<typeof schema>;

export const searchTool: Tool = {
  spec: {
    name: 'search',
    description:
      'Search the text of the files on disk, line by line. Files named by ignore files, .git and node_modules are left ' +
      'out. Each hit is one line: path:line: text.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  async prepare(input, context) {
    const query = await queryOf(input, context);
    if (isFailure(query)) return query;
    const what = query.regex ? `/${oneLine(query.pattern, 60)}/` : `"${oneLine(query.pattern, 60)}"`;
    return {
      tool: 'search',
      input,
      sentence: `Search ${what}${inWords(query)}`,
      risk: 'read',
      targets: [],
      subject: query.in?.shown ?? '.',
    };
  },

  async run(prepared, context) {
    const query = await queryOf(prepared.input, context);
    if (isFailure(query)) return refused(query);
    const found = await context.workspace.search(query, context.signal);
    return isFailure(found) ? refused(found) : answer(query, found);
  },
};

async function queryOf(input: unknown, context: ToolContext): Promise<SearchQuery | Failure> {
  const wanted: Input | Failure = parseInput('search', schema, input);
  if (isFailure(wanted)) return wanted;
  const { pattern, regex = false, max_results: maxResults = DEFAULT_RESULTS } = wanted;
  const place = await lookIn(wanted.path, context.workspace);
  return isFailure(place) ? place : { pattern, regex, maxResults, ...place };
}

function answer(query: SearchQuery, { hits, more, note }: SearchResult): ToolOutcome {
  const notes = note === undefined ? [] : [`[${note}]`];
  if (hits.length === 0) {
    const none = `No line in ${whereWords(query)} matches ${query.regex ? `/${query.pattern}/` : `"${query.pattern}"`}.`;
    return { content: [none, ...notes].join('\n'), is_error: false, outcome: 'no hits' };
  }
  const lines: string[] = [];
  let chars = 0;
  for (const hit of hits) {
    const line = hitLine(hit);
    chars += line.length + 1;
    if (chars > MAX_CHARS) break;
    lines.push(line);
  }
  if (lines.length < hits.length) {
    notes.unshift(
      `[${count(hits.length - lines.length, 'more hit')} not shown. Narrow the pattern or the path.]`,
    );
  } else if (more) {
    notes.unshift(
      `[There are more than ${count(hits.length, 'hit')}. Narrow the pattern or the path, or raise max_results.]`,
    );
  }
  const outcome = `${hits.length}${more ? '+' : ''} ${hits.length === 1 && !more ? 'hit' : 'hits'}`;
  return { content: [...lines, ...notes].join('\n'), is_error: false, outcome };
}

function hitLine({ path, line, text }: SearchHit): string {
  const shown = text.length > MAX_LINE ? `${head(text, MAX_LINE)} […]` : text;
  return `${path.shown}:${line}: ${shown}`;
}
