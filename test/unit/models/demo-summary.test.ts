import { expect, it } from 'vitest';
import { summaryRequest } from '../../../src/agent/compaction/summary-prompt.js';
import { createDemoModel } from '../../../src/models/demo/tour.js';
import { attempt, clockAt, parts } from './attempt.js';

it('the demo lists what was asked when it is to sum up, and says that it can do no more', async () => {
  const transcript = '[User]: Plan the trip\n\n[Assistant]: By train?\n\n[User]: By car';
  const request = summaryRequest({ kind: 'whole', transcript, previous: 'Before: a list.' });
  const done = await attempt(createDemoModel({ clock: clockAt(0) }), request);
  const [part] = parts(done.events);
  const text = part?.type === 'text' ? part.text : '';
  expect(text).toContain('no language model');
  expect(text).toContain('- Plan the trip\n- By car');
  expect(text).toContain('Before: a list.');
});
