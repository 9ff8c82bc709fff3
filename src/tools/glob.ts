/** Finds files by the pattern of their path; ignored ones are left out. */
import * as z from 'zod';
import type { FileQuery, FoundFiles, Tool, ToolContext, ToolOutcome } from '../ports.js';
import { isFailure, type Failure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { inWords, lookIn, whereWords } from './look-in.js';
import { refused } from './outcome.js';
import { count, oneLine } from './text.js';

const DEFAULT_RESULTS = 200;
const MAX_RESULTS = 2000;

const schema = z.strictObject({
  pattern: z
    .string()
    .regex(/\S/, 'must not be blank')
    .max(1000)
    .describe(
      'Glob below the folder: src/**/*.ts, **/*.{js,ts}. Without a / it is of the name in any folder.',
    ),
  path: z.string().min(1).optional().describe('Folder to look in. Default: the whole workspace.'),
  max_results: z.int().min(1).max(MAX_RESULTS).optional().describe(`Default: ${DEFAULT_RESULTS}.`),
});

export const globTool: Tool = {
  spec: {
    name: 'glob',
    description:
      'Find files of the workspace by a glob of their path. Files named by ignore files or hidden by the person, .git and ' +
      'node_modules are left out. One path per line, in order.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  async prepare(input, context) {
    const query = await queryOf(input, context);
    if (isFailure(query)) return query;
    return {
      tool: 'glob',
      input,
      sentence: `Find files ${oneLine(query.pattern, 60)}${inWords(query)}`,
      risk: 'read',
      targets: [],
      subject: query.in?.shown ?? '.',
    };
  },

  async run(prepared, context) {
    const query = await queryOf(prepared.input, context);
    if (isFailure(query)) return refused(query);
    const found = await context.workspace.find(query, context.signal);
    return isFailure(found) ? refused(found) : answer(query, found);
  },
};

async function queryOf(input: unknown, { workspace }: ToolContext): Promise<FileQuery | Failure> {
  const wanted = parseInput('glob', schema, input);
  if (isFailure(wanted)) return wanted;
  const { pattern, path, max_results: maxResults = DEFAULT_RESULTS } = wanted;
  const place = await lookIn(path, workspace);
  return isFailure(place) ? place : { pattern, maxResults, ...place };
}

function answer(query: FileQuery, { files, more, note }: FoundFiles): ToolOutcome {
  const notes = note === undefined ? [] : [`[${note}]`];
  if (files.length === 0) {
    const none = `No file in ${whereWords(query)} matches ${query.pattern}.`;
    return { content: [none, ...notes].join('\n'), is_error: false, outcome: 'no files' };
  }
  if (more)
    notes.unshift(
      `[There are more than ${count(files.length, 'file')}. Narrow the pattern or the path, or raise max_results.]`,
    );
  const outcome = `${String(files.length)}${more ? '+' : ''} ${files.length === 1 && !more ? 'file' : 'files'}`;
  return { content: [...files.map(({ shown }) => shown), ...notes].join('\n'), is_error: false, outcome };
}
