/** For comparing texts by lines: whether the last line has its line break makes it no other line. */
export function endLastLines(before: string, after: string): [before: string, after: string] {
  const lineBreak = before.includes('\r\n') || after.includes('\r\n') ? '\r\n' : '\n';
  const end = (text: string): string => (text === '' || text.endsWith('\n') ? text : text + lineBreak);
  return [end(before), end(after)];
}
