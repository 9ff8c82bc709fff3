/**
 * Takes keys out of a line of a log and leaves every other byte of it as it was: only the strings that held one are
 * written anew.
 */

const literal = /"(?:[^"\\]|\\.)*"/g;

export type Clean = (text: string) => string;

/** The line without its newline; a line that is not JSON is taken as text. */
export function redactLine(line: string, clean: Clean): string {
  if (!isJson(line)) return clean(line);
  return line.replace(literal, (written) => {
    const text = JSON.parse(written) as string;
    const cleaned = clean(text);
    return cleaned === text ? written : escapeSeparators(JSON.stringify(cleaned));
  });
}

/** As the log writes them: some readers end a line there. */
const escapeSeparators = (json: string): string =>
  json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
