/** Variables in a prompt file, as VS Code writes them. What is not known stays as it stands. */

export interface PromptVariables {
  /** Undefined: there is none. */
  selection: string | undefined;
  /** As files are named to the model. Undefined: none is open. */
  file: string | undefined;
  workspaceFolder: string | undefined;
  /** Undefined: the person does not want to go on. */
  input: (name: string, hint: string | undefined) => Promise<string | undefined>;
}

const VARIABLE = /\$\{(\w+)(?::([\w-]+)(?::([^}]*))?)?\}/g;

/** Undefined when the person was asked for something and did not want to go on. */
export async function expandVariables(text: string, variables: PromptVariables): Promise<string | undefined> {
  const inputs = new Map<string, string>();
  for (const [, variable, name, hint] of text.matchAll(VARIABLE)) {
    if (variable !== 'input' || name === undefined || inputs.has(name)) continue;
    const given = await variables.input(name, hint);
    if (given === undefined) return undefined;
    inputs.set(name, given);
  }
  return text.replace(VARIABLE, (whole, variable: string, name: string | undefined) =>
    variable === 'input' && name !== undefined
      ? (inputs.get(name) ?? whole)
      : (valueOf(variable, variables) ?? whole),
  );
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function valueOf(
  variable: string,
  { selection, file, workspaceFolder }: PromptVariables,
): string | undefined {
  switch (variable) {
    case 'selection':
    case 'selectedText':
      return selection;
    case 'file':
    case 'relativeFile':
      return file;
    case 'fileBasename':
      return file === undefined ? undefined : nameOf(file);
    case 'fileBasenameNoExtension':
      return file === undefined ? undefined : nameOf(file).replace(/(.)\.[^.]*$/, '$1');
    case 'fileDirname':
      return file === undefined ? undefined : file.slice(0, Math.max(0, file.lastIndexOf('/'))) || '.';
    case 'workspaceFolder':
      return workspaceFolder;
    case 'workspaceFolderBasename':
      return workspaceFolder === undefined ? undefined : nameOf(workspaceFolder);
    default:
      return undefined;
  }
}
