/**
 * Takes keys out of a line of a log and leaves every other byte of it as it was: only the strings that held one are
 * written anew.
 */

export type Clean = (text: string) => string;

/** The line without its newline; a line that is not JSON is taken as text. */
export function redactLine(line: string, clean: Clean): string {
  if (!isJson(line)) return clean(line);
  const pieces: string[] = [];
  let end = 0;
  for (let begin = line.indexOf('"'); begin !== -1; begin = line.indexOf('"', end)) {
    pieces.push(line.slice(end, begin));
    end = endOfString(line, begin);
    pieces.push(redactString(line.slice(begin, end), clean));
  }
  return pieces.join('') + line.slice(end);
}

function redactString(written: string, clean: Clean): string {
  const text = JSON.parse(written) as string;
  const cleaned = clean(text);
  return cleaned === text ? written : escapeSeparators(JSON.stringify(cleaned));
}

/** Behind the string that begins there. An expression would remember each of its characters, and some have millions. */
function endOfString(json: string, begin: number): number {
  let quote = begin;
  let slashes: number;
  do {
    quote = json.indexOf('"', quote + 1);
    slashes = 0;
    while (json[quote - 1 - slashes] === '\\') slashes++;
  } while (slashes % 2 === 1);
  return quote + 1;
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
