/** Chat completions. */
import { part, type Step } from './reply.js';
import { defaultUsage, frame, perPiece, write, type Content, type Wire } from './wire.js';

const contentSteps = (content: Content): Step[] => {
  if ('calls' in content) return part.calls(...content.calls);
  if ('text' in content) return perPiece(content.text, (text) => part.delta({ content: text }));
  return perPiece(content.reasoning, (text) => part.delta({ reasoning_content: text }));
};

export const chatWire: Wire = {
  steps: ({ content, end }) => [
    part.role(),
    ...content.flatMap(contentSteps),
    ...(end
      ? [
          part.finish(end.reason),
          ...(end.usage === null ? [] : [part.usage(end.usage ?? defaultUsage)]),
          part.done(),
        ]
      : []),
  ],
  errorFrame: (error) => frame({ error }),
  errorBody: (_status, error) => ({ error }),
  ping: () => part.comment(),
  brokenFrame: () => write('data: {"id":"chatcmpl-1", broken\n\n'),
};
