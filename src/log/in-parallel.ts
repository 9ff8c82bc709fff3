/** Work on many things, `count` of them at a time; the first failure is the one that is told. */

export async function inParallel<T>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, worker));
}
