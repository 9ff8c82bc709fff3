/** The environment and the shell a command gets: the person's own, without what belongs to VS Code's process. */

export type Environment = Record<string, string | undefined>;

/** VS Code's own variables would make a child `node` or `electron` behave like the extension host. */
export function commandEnvironment(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const upper = name.toUpperCase();
    if (
      value === undefined ||
      upper === 'ELECTRON_RUN_AS_NODE' ||
      upper === 'NODE_OPTIONS' ||
      upper.startsWith('VSCODE_')
    )
      continue;
    kept[name] = value;
  }
  return kept;
}

export interface Shell {
  file: string;
  /** Arguments before the command. */
  args: string[];
}

/** Accounts of services have these as their shell; they run nothing. */
const noShells = ['nologin', 'false', 'true'];

/** Shells to try in order: the next one when a file does not exist. */
export function shellsFor(platform: NodeJS.Platform, env: Environment): Shell[] {
  if (platform === 'win32') {
    return [
      { file: 'pwsh.exe', args: ['-NoProfile', '-NonInteractive', '-Command'] },
      { file: env['ComSpec'] ?? 'cmd.exe', args: ['/d', '/s', '/c'] },
    ];
  }
  const own = env['SHELL'];
  const usual = { file: '/bin/sh', args: ['-c'] };
  if (own === undefined || !own.startsWith('/') || noShells.includes(own.slice(own.lastIndexOf('/') + 1)))
    return [usual];
  return [{ file: own, args: ['-c'] }, usual];
}

/** For the system prompt: "bash", "pwsh". */
export function shellName(platform: NodeJS.Platform, env: Environment): string {
  const file = shellsFor(platform, env)[0]?.file ?? 'sh';
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.exe$/i, '');
}

/**
 * A program as Windows can start it: what is no .exe is a script that only `cmd` runs, so that every argument is written
 * for both of them to read it as it was meant.
 */
export function windowsProgram(program: { file: string; args: string[] }): { file: string; args: string[] } {
  if (/\.(exe|com)$/i.test(program.file)) return program;
  const escape = (text: string): string => text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
  const quoted = (text: string): string =>
    escape(`"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`);
  const line = [escape(program.file), ...program.args.map(quoted)].join(' ');
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`] };
}
