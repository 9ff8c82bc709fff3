/** How it is written down which subcommands and options of a tool a rule for their beginning may stand for. */

/** Of some subcommands of a tool. */
export interface Usual {
  /** `*`: any other too. */
  subcommands: ReadonlySet<string>;
  flags: ReadonlySet<string>;
  /** Options whose value is theirs or the next word, with the values they may have; `*` at an end: any that begins so. */
  valued: ReadonlyMap<string, readonly string[]>;
  /**
   * What else may follow: nothing, since it names what is run or installed; anything; or what goes to a script of the
   * project, which is all after a `--`, after the script's name too, or all that is not an option of the tool.
   */
  rest: 'none' | 'any' | 'script' | 'script after name' | 'script always';
  /** What may stand directly behind the subcommand, when that alone does not say what is done. */
  verbs?: ReadonlySet<string>;
  /** Addresses and paths out of the folder do nothing there that others do not: it keeps to its repository. */
  isAnywhere?: boolean;
  /** What stands for the subcommand is a task of the project, whatever its name. */
  isTasks?: boolean;
}

export const split = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/**
 * In `options`, one that takes any value ends in `=`, one that takes only some is there with each of them; `-0` stands for a
 * number.
 */
export function usual(
  subcommands: string,
  options: string,
  rest: Usual['rest'] = 'any',
  { verbs, ...more }: { verbs?: string; isAnywhere?: boolean; isTasks?: boolean } = {},
): Usual {
  const flags: string[] = [];
  const valued = new Map<string, string[]>();
  for (const option of split(options)) {
    const at = option.indexOf('=');
    if (at === -1) flags.push(option);
    else {
      const name = option.slice(0, at);
      valued.set(name, [...(valued.get(name) ?? []), option.slice(at + 1) || '*']);
    }
  }
  return {
    subcommands: new Set(split(subcommands)),
    flags: new Set(flags),
    valued,
    rest,
    ...more,
    ...(verbs === undefined ? {} : { verbs: new Set(split(verbs)) }),
  };
}
