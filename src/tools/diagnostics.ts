/** Tells the problems that the editor's language services found, in one file or in all they have looked at. */
import * as z from 'zod';
import type { Problem, Tool, ToolContext, ToolOutcome, WorkspacePath } from '../ports.js';
import { isFailure, type Failure } from '../shared/failure.js';
import { inputSchema, parseInput } from './input.js';
import { refused } from './outcome.js';
import { problemCount, problemLine } from './problem-list.js';
import { count } from './text.js';

const MAX_SHOWN = 200;

const schema = z.strictObject({
  path: z
    .string()
    .min(1)
    .optional()
    .describe('File to look at. Default: the problems known of all files that were looked at.'),
});

export const diagnosticsTool: Tool = {
  spec: {
    name: 'diagnostics',
    description:
      'Errors and warnings that the language services of the editor (compiler, linter) find. With a path the file is looked ' +
      'at anew, as far as its service looks at files that are open in no tab; without one only files that are or were open are known. Run the build or the tests to be sure of all.',
    input_schema: inputSchema(schema),
  },
  risk: 'read',

  async prepare(input, context) {
    const place = await placeOf(input, context);
    if (isFailure(place)) return place;
    const shown = place?.shown ?? '.';
    const sentence = place === null ? 'Check the problems' : `Check the problems of ${shown}`;
    return { tool: 'diagnostics', input, sentence, risk: 'read', targets: [], subject: shown };
  },

  async run(prepared, context) {
    const place = await placeOf(prepared.input, context);
    if (isFailure(place)) return refused(place);
    const { language } = context.workspace;
    if (place === null) {
      const note = 'Only files that a language service has looked at are known.';
      return tell('', language.problems(), [note]);
    }
    const file = await context.workspace.read(place);
    if (isFailure(file)) return refused(file);
    const { problems, isSure, isInTab } = await language.freshProblems(place, context.signal);
    const late =
      'No language service answered in time; there may be none for this kind of file, or it may still look.';
    const unseen =
      'It is open in no tab, and some language services (of TypeScript, too) look for problems only in files that are. Run the build or the tests to be sure.';
    const isUnseen = isInTab === false && problems.length === 0;
    return tell(` in ${place.shown}`, problems, [...(isSure ? [] : [late]), ...(isUnseen ? [unseen] : [])]);
  },
};

async function placeOf(input: unknown, { workspace }: ToolContext): Promise<WorkspacePath | null | Failure> {
  const wanted = parseInput('diagnostics', schema, input);
  if (isFailure(wanted)) return wanted;
  return wanted.path === undefined ? null : workspace.resolve(wanted.path);
}

const ranks = { error: 0, warning: 1, info: 2, hint: 3 } as const;

function tell(where: string, problems: readonly Problem[], notes: readonly string[]): ToolOutcome {
  const sorted = [...problems].sort((a, b) => ranks[a.severity] - ranks[b.severity]);
  const shown = sorted.slice(0, MAX_SHOWN).map(problemLine);
  const left = sorted.length - shown.length;
  const rest = left > 0 ? [`[${count(left, 'more problem')} not shown. Name a file.]`] : [];
  const lines = sorted.length === 0 ? [`No problems are known${where}.`] : shown;
  return {
    content: [...lines, ...rest, ...notes.map((note) => `[${note}]`)].join('\n'),
    is_error: false,
    outcome: problemCount(problems),
  };
}
