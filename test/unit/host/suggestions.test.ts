import { expect, it, vi } from 'vitest';
import { suggestionsFor } from '../../../src/host/suggestions.js';
import type { ModelView } from '../../../src/shared/protocol.js';

vi.mock('vscode', () => ({}));

it('offers nothing about a folder where none is open', () => {
  const [model, demo] = [{ demo: false }, { demo: true }] as ModelView[];
  const found = ['What is in this folder?', 'Explain a.ts'];
  const window = (hasFolder: boolean) => ({ isTrusted: true, hasFolder });
  expect(suggestionsFor(model ?? null, found, window(true))).toEqual(found);
  expect(suggestionsFor(model ?? null, found, window(false))).toEqual([]);
  expect(suggestionsFor(demo ?? null, found, window(true))).toContain('What is in this folder?');
  expect(suggestionsFor(demo ?? null, found, window(false))).not.toContain('What is in this folder?');
});
