/** Where `wanted` stands among numbers that grow; −1 where it is none of them. */
export function placeIn(numbers: ArrayLike<number>, wanted: number): number {
  let from = 0;
  for (let to = numbers.length; from < to;) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return numbers[from] === wanted ? from : -1;
}
