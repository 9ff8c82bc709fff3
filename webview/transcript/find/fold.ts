/** Text as it is compared: upper and lower case are the same, and all white space is. As long as it was before. */

export function fold(text: string): string {
  const spaced = text.replace(/\s/g, ' ');
  const lower = spaced.toLowerCase();
  // A few letters become two in lower case; then it is done letter by letter, and those stay.
  return lower.length === spaced.length ? lower : spaced.replace(/\S/gu, keepLength);
}

function keepLength(letter: string): string {
  const lower = letter.toLowerCase();
  return lower.length === letter.length ? lower : letter;
}

/** Where `query` stands in `text`, both folded, without overlaps. */
export function placesOf(text: string, query: string, most = Number.POSITIVE_INFINITY): number[] {
  const places: number[] = [];
  if (query === '') return places;
  for (
    let at = text.indexOf(query);
    at !== -1 && places.length < most;
    at = text.indexOf(query, at + query.length)
  )
    places.push(at);
  return places;
}
