/** What a link in a model's or a person's text may lead to: a web page, a mail or a file of the workspace. */

export type LinkTarget = { kind: 'web'; url: string } | { kind: 'file'; path: string; line?: number };

/** Undefined for everything else: commands, scripts, data, other programs' schemes and absolute paths stay text. */
export function linkTarget(href: string): LinkTarget | undefined {
  const trimmed = href.trim();
  if (/^(https?:\/\/|mailto:)/i.test(trimmed))
    return URL.canParse(trimmed) ? { kind: 'web', url: trimmed } : undefined;
  const [, path, hashLine, colonLine] =
    /^([^:#?]+?)(?:#L(\d+)(?:-L?\d+)?|:(\d+)(?::\d+)?)?$/.exec(trimmed) ?? [];
  if (path === undefined || /^[/\\]|\\|&[#\w]+;|[\p{Cc}]/u.test(path)) return undefined;
  const decoded = decodePath(path);
  if (decoded === undefined || decoded.includes(':')) return undefined;
  const line = hashLine ?? colonLine;
  return { kind: 'file', path: decoded, ...(line === undefined ? {} : { line: Number(line) }) };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
