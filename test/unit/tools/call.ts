/** Calls a tool the way a turn does: prepare, then run what was prepared. */
import type { Prepared, Tool, ToolContext, ToolOutcome } from '../../../src/ports.js';
import { isFailure, type Failure } from '../../../src/shared/failure.js';
import { createTools } from '../../../src/tools/index.js';
import type { FakeWorkspace } from './fake-workspace.js';

export function tool(name: string): Tool {
  const found = createTools().find(({ spec }) => spec.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

export const noSession: ToolContext['session'] = {
  readResult: () => Promise.reject(new Error('no session here')),
  background: () => undefined,
  delegate: () => Promise.reject(new Error('no session here')),
};

export const contextOf = (workspace: FakeWorkspace, over: Partial<ToolContext> = {}): ToolContext => ({
  workspace,
  session: noSession,
  signal: new AbortController().signal,
  aside: new AbortController().signal,
  report: () => undefined,
  ...over,
});

export async function prepare(
  workspace: FakeWorkspace,
  name: string,
  input: unknown,
): Promise<Prepared | Failure> {
  return tool(name).prepare(input, contextOf(workspace));
}

/** The sentence of a failure, or '' when the tool would begin. */
export async function refusal(workspace: FakeWorkspace, name: string, input: unknown): Promise<string> {
  const prepared = await prepare(workspace, name, input);
  return isFailure(prepared) ? prepared.message : '';
}

export async function call(
  workspace: FakeWorkspace,
  name: string,
  input: unknown,
  over: Partial<ToolContext> = {},
): Promise<ToolOutcome> {
  const context = contextOf(workspace, over);
  const prepared = await tool(name).prepare(input, context);
  if (isFailure(prepared)) throw new Error(`refused: ${prepared.message}`);
  return tool(name).run(prepared, context);
}
