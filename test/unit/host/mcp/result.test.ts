import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../../src/host/mcp/result.js';
import { lmOutcome } from '../../../../src/host/model/lm-result.js';

const png = Buffer.from('not really a picture').toString('base64');

describe('the result of a server', () => {
  it('is its text, with what is beside it', () => {
    const { content, is_error, pictures } = outcomeOf({
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'image', mimeType: 'image/png', data: png },
        { type: 'resource_link', uri: 'file:///a.txt', name: 'a', description: 'the file' },
        { type: 'resource', resource: { uri: 'demo://1', mimeType: 'text/plain', text: 'inside' } },
        { type: 'resource', resource: { uri: 'demo://2', mimeType: 'application/zip', blob: 'AAAA' } },
        { type: 'resource', resource: { uri: 'demo://3', mimeType: 'image/webp', blob: png } },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        { type: 'hologram' },
        null,
      ],
    });
    expect(is_error).toBe(false);
    expect(content).toBe(
      [
        'Hello',
        '[picture 1 (image/png) goes with this result.]',
        '[Resource file:///a.txt: a – the file]',
        '[demo://1]\ninside',
        '[demo://2 is left out: it is binary (application/zip).]',
        '[demo://3 (image/webp) goes with this result.]',
        '[Audio (audio/wav) is left out: it cannot be told to the model.]',
        '[A part of the kind "hologram" is left out: Bough does not know it.]',
      ].join('\n\n'),
    );
    expect(pictures?.map(({ mime, name, bytes }) => [mime, name, Buffer.from(bytes).toString()])).toEqual([
      ['image/png', 'picture 1', 'not really a picture'],
      ['image/webp', 'demo://3', 'not really a picture'],
    ]);
  });

  it('keeps pictures of known kinds only, and not any number of any size', () => {
    const image = (mimeType: string, data = png) => ({ type: 'image', mimeType, data });
    const one = outcomeOf({ content: [image('image/svg+xml'), image('image/png', '')] });
    expect(one.pictures).toBeUndefined();
    expect(one.content).toContain('its kind is "image/svg+xml"');
    const many = outcomeOf({ content: Array.from({ length: 9 }, () => image('image/png')) });
    expect(many.pictures).toHaveLength(8);
    expect(many.content).toContain('A further picture is left out');
    const big = outcomeOf({
      content: [image('image/png', Buffer.alloc(9 * 1024 * 1024).toString('base64'))],
    });
    expect(big.pictures).toBeUndefined();
  });

  it('is an error when the server says so, and never nothing', () => {
    expect(outcomeOf({ content: [{ type: 'text', text: 'no' }], isError: true })).toEqual({
      content: 'no',
      is_error: true,
    });
    expect(outcomeOf({ content: [], structuredContent: { a: 1 } }).content).toBe('{\n  "a": 1\n}');
    expect(outcomeOf({}).content).toBe('[The tool gave no output.]');
  });
});

describe('the result of a tool of vscode.lm', () => {
  it('is text, the text of prompt-tsx, and data by its kind', () => {
    const tsx = {
      node: {
        type: 1,
        children: [
          { type: 2, text: 'one', lineBreakBefore: undefined },
          { type: 1, children: [{ type: 2, text: 'two', lineBreakBefore: true }] },
        ],
      },
    };
    const { content, pictures, is_error } = lmOutcome([
      { value: 'plain' },
      { value: tsx },
      { mimeType: 'application/json', data: new TextEncoder().encode('{"a":1}') },
      { mimeType: 'image/png', data: new Uint8Array([1, 2]) },
      { mimeType: 'application/zip', data: new Uint8Array(3) },
      { value: { strange: true } },
      {},
    ]);
    expect(is_error).toBe(false);
    expect(content.split('\n')).toEqual([
      'plain',
      'one',
      'two',
      '{"a":1}',
      '[picture 1 (image/png) goes with this result.]',
      '[Data of the kind application/zip (3 bytes) is left out.]',
      '{"strange":true}',
      '[A part that Bough does not know is left out.]',
    ]);
    expect(pictures).toHaveLength(1);
    expect(lmOutcome([]).content).toBe('[The tool gave no output.]');
  });
});
