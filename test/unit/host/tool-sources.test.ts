import { describe, expect, it } from 'vitest';
import { createToolSources } from '../../../src/host/tool-sources.js';
import type { Tool } from '../../../src/ports.js';

const tool = (name: string): Tool => ({
  spec: { name, description: '', input_schema: { type: 'object' } },
  risk: 'run',
  prepare: () => Promise.reject(new Error('not asked for')),
  run: () => Promise.reject(new Error('not asked for')),
});
const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => tool(`${name}${index}`));
const namesOf = (tools: readonly Tool[]) => tools.map(({ spec }) => spec.name);

describe('tools that come and go', () => {
  it('stand in the order of their sources, and each source knows what is taken', () => {
    const seen: string[][] = [];
    const source = (name: string) => (taken: ReadonlySet<string>) => {
      seen.push([...taken]);
      return [tool(name)];
    };
    const sources = createToolSources([source('b'), source('c')], () => undefined);
    expect(namesOf(sources.list(new Set(['a'])))).toEqual(['b', 'c']);
    expect(seen).toEqual([['a'], ['a', 'b']]);
  });

  it('take no name twice, and are no more than providers take; what is left out is said once', () => {
    const said: string[] = [];
    const sources = createToolSources([() => [tool('a'), tool('b')], () => many(130, 'x')], (_level, text) =>
      said.push(text),
    );
    const list = namesOf(sources.list(new Set(['a'])));
    sources.list(new Set(['a']));
    expect(list).toHaveLength(127);
    expect(new Set(list).size).toBe(127);
    expect(list).not.toContain('a');
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('a, x126, x127, x128, x129');
  });
});
