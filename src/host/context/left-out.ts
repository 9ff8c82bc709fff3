/** Says what is left out for a fault of its file: once, and again only when the fault is another or came back. */

/** `null`: nothing is wrong with it now. */
export type LeftOut = (path: string, problem: string | null) => void;

export function createLeftOut(log: (level: 'warn', text: string) => void): LeftOut {
  const said = new Map<string, string>();
  return (path, problem) => {
    if (problem === null) said.delete(path);
    else if (said.get(path) !== problem) {
      said.set(path, problem);
      log('warn', problem);
    }
  };
}
