import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../src/agent/context.js';
import type { ModelInfo } from '../../../src/ports.js';
import type { Entry } from '../../../src/shared/notes.js';

const blob = 'a'.repeat(64);
const model = { id: 'm', provider: 'p', label: 'm' } as ModelInfo;

const sentAs = (mime: string): string | undefined => {
  const entry: Entry = {
    ...{ type: 'message', role: 'user', id: 'n1', parent_id: null, timestamp: '2026-01-05T09:00:00.000Z' },
    parts: [{ type: 'image', blob, mime, name: 'a.png' }],
  };
  const blobs = new Map([[blob, new Uint8Array([137, 80, 78, 71])]]);
  const request = buildRequest([{ entry }], model, { system: '', tools: [], blobs });
  const [message] = request.messages;
  return message?.parts[0] !== undefined && 'type' in message.parts[0] ? message.parts[0].type : undefined;
};

describe('an image in a request', () => {
  it.each(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])('goes along as %s', (mime) => {
    expect(sentAs(mime)).toBe('image');
  });
  it.each(['image/pnf', 'image/svg+xml', 'image/', 'text/html', ''])(
    'of a kind that some provider refuses (%j) is named instead',
    (mime) => {
      expect(sentAs(mime)).toBe('text');
    },
  );
});
