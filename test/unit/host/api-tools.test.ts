import { describe, expect, it } from 'vitest';
import type { ExtensionTool } from '../../../src/host/api.js';
import { createToolBox } from '../../../src/host/api-tools.js';
import { isFailure } from '../../../src/shared/failure.js';
import type { ToolContext } from '../../../src/ports.js';
import { createTools } from '../../../src/tools/index.js';

const weather: ExtensionTool = {
  name: 'acme_weather',
  description: 'Tells the weather of a place.',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  risk: 'net',
  run: ({ place }) => Promise.resolve(`Rain in ${String(place)}.`),
};
const context = { signal: new AbortController().signal, report: () => undefined } as unknown as ToolContext;

describe('tools of other extensions', () => {
  it('stand behind ours until they are taken back', () => {
    const box = createToolBox(createTools());
    const before = box.list().length;
    const registered = box.register(weather);
    expect(box.list().at(-1)?.spec).toEqual({
      name: 'acme_weather',
      description: 'Tells the weather of a place.',
      input_schema: weather.inputSchema,
    });
    registered.dispose();
    registered.dispose();
    expect(box.list()).toHaveLength(before);
  });

  it.each(['edit', '', 'two words', 'x'.repeat(65), 'ä'])('"%s" cannot be a name', (name) => {
    const box = createToolBox(createTools());
    expect(() => box.register({ ...weather, name })).toThrow(
      expect.objectContaining({ code: 'InvalidArgument' }),
    );
  });

  it('are told the key of the iteration of a goal that calls them', async () => {
    const seen: unknown[] = [];
    const box = createToolBox([]);
    box.register({
      ...weather,
      run: (_input, { operationKey }) => {
        seen.push(operationKey);
        return Promise.resolve('Rain.');
      },
    });
    const [tool] = box.list();
    const prepared = await tool?.prepare({ place: 'Rome' }, context);
    if (tool === undefined || prepared === undefined || isFailure(prepared)) throw new Error('no call');
    await tool.run(prepared, { ...context, operation_key: 'goal-1-2' });
    await tool.run(prepared, context);
    expect(seen).toEqual(['goal-1-2', undefined]);
  });

  it('a name is taken once', () => {
    const box = createToolBox([]);
    box.register(weather);
    expect(() => box.register(weather)).toThrow(/already/);
  });

  it('run with their input, and a rule counts for the tool, never for what was in a call', async () => {
    const box = createToolBox([]);
    box.register(weather);
    const [tool] = box.list();
    const prepared = await tool?.prepare({ place: 'Ulm', key: 'secret' }, context);
    expect(prepared).toMatchObject({ risk: 'net', subject: 'acme_weather', targets: [] });
    if (prepared === undefined || !('sentence' in prepared)) throw new Error('it was refused');
    expect(await tool?.run(prepared, context)).toEqual({ content: 'Rain in Ulm.', is_error: false });
  });

  it('are given a copy of their input: what was called stays as it stands in the log', async () => {
    const box = createToolBox([]);
    const change = (input: Record<string, unknown>) => String((input['place'] = 'Bonn'));
    box.register({ ...weather, describe: change, run: (input) => Promise.resolve(change(input)) });
    const [tool] = box.list();
    const input = { place: 'Ulm' };
    const prepared = await tool?.prepare(input, context);
    if (prepared === undefined || !('sentence' in prepared)) throw new Error('it was refused');
    await tool?.run(prepared, context);
    expect([input, prepared.input]).toEqual([{ place: 'Ulm' }, { place: 'Ulm' }]);
  });

  it('what is no object is refused before it is asked about', async () => {
    const box = createToolBox([]);
    box.register(weather);
    for (const input of ['Ulm', null, ['Ulm'], 5])
      expect(await box.list()[0]?.prepare(input, context)).toMatchObject({ code: 'invalid-input' });
  });

  it.each([
    ['description', undefined],
    ['description', ' '],
    ['inputSchema', undefined],
    ['inputSchema', null],
    ['inputSchema', { type: 'string' }],
    ['risk', 'execute'],
    ['run', 'no function'],
  ])('one whose %s is %j is refused when it comes, not by a provider later', (field, value) => {
    const box = createToolBox([]);
    const tool = { ...weather, [field]: value };
    expect(() => box.register(tool)).toThrow(/acme_weather cannot be taken/);
    expect(box.list()).toEqual([]);
  });

  it.each([42, undefined, null, {}, { text: 42 }, { text: undefined }, []])(
    'a result that is %j is an error result',
    async (result) => {
      const box = createToolBox([]);
      box.register({ ...weather, describe: () => 5 as never, run: () => Promise.resolve(result as never) });
      const [tool] = box.list();
      const prepared = await tool?.prepare({ place: 'Ulm' }, context);
      if (prepared === undefined || !('sentence' in prepared)) throw new Error('it was refused');
      expect(prepared.sentence).toBe('acme_weather {"place":"Ulm"}');
      expect(await tool?.run(prepared, context)).toMatchObject({ is_error: true });
    },
  );

  it('say by themselves what they would do, and that they failed', async () => {
    const box = createToolBox([]);
    box.register({
      ...weather,
      describe: ({ place }) => `Look at the sky over ${String(place)}`,
      run: () => Promise.resolve({ text: 'No sky.', isError: true }),
    });
    const [tool] = box.list();
    const prepared = await tool?.prepare({ place: 'Ulm' }, context);
    expect(prepared).toMatchObject({ sentence: 'Look at the sky over Ulm' });
    if (prepared === undefined || !('sentence' in prepared)) throw new Error('it was refused');
    expect(await tool?.run(prepared, context)).toEqual({ content: 'No sky.', is_error: true });
  });
});
