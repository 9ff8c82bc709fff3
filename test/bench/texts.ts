// Seeded texts as models and people write them: the same for every run, and for what is measured beside.

/** Numbers in [0, 1) from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words =
  'the branch keeps every line of a session and its log so that nothing that was said before is lost when a file changes or a request ends early and another begins'.split(
    ' ',
  );

export interface Writer {
  sentence: () => string;
  /** A prompt of one to three sentences. */
  prompt: () => string;
  /** An answer with paragraphs, lists and code. */
  answer: (blocks: number) => string;
}

export function writer(random: () => number): Writer {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const sentence = (): string => {
    const some = Array.from({ length: 6 + Math.floor(random() * 14) }, () => pick(words));
    if (random() < 0.3) some[2] = `\`${some[2]}\``;
    if (random() < 0.2) some[4] = `**${some[4]}**`;
    return `${some.join(' ')}.`;
  };
  const paragraph = (): string => Array.from({ length: 2 + Math.floor(random() * 3) }, sentence).join(' ');
  const list = (): string => Array.from({ length: 3 }, () => `- ${sentence()}`).join('\n');
  const code = (): string =>
    [
      '```ts',
      ...Array.from({ length: 6 }, (_, n) => `const ${pick(words)}${n} = ${pick(words)}(${n});`),
      '```',
    ].join('\n');
  const block = (): string => (random() < 0.6 ? paragraph() : random() < 0.5 ? list() : code());
  return {
    sentence,
    prompt: () => Array.from({ length: 1 + Math.floor(random() * 3) }, sentence).join(' '),
    answer: (blocks) => Array.from({ length: blocks }, block).join('\n\n'),
  };
}
