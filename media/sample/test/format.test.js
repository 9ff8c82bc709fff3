import assert from 'node:assert/strict';
import test from 'node:test';
import { clock } from '../src/format.js';

test('shows minutes and seconds', () => {
  assert.equal(clock(90), '1:30');
  assert.equal(clock(5), '0:05');
});
