/** Scenes about what goes wrong with real models, and about branches: they need no folder. */
import { answer, label, say, type Scene } from './talk.js';

/** How often a scene fails before it answers. */
export const FAILURES = 2;

export const rateLimit: Scene = ({ attempt }) =>
  attempt <= FAILURES
    ? [{ do: 'fail', how: 'rate' }]
    : answer(
        `That was a rate limit, twice. A server that answers 429 says how long to wait; Bough showed the reason and counted down, sent nothing earlier, and this is attempt ${attempt}.`,
        'Every wait is kept in the session, so it would have survived a reload.',
      );

const story =
  'This answer is about to lose its connection in the middle of a sentence, as it happens in a train. ' +
  'What you read here so far is no answer yet: Bough keeps it on the disk and begins the step again, because';

export const drop: Scene = ({ attempt }) =>
  attempt <= FAILURES
    ? [say(story), { do: 'fail', how: 'drop' }]
    : answer(
        `${story} the stream never said that it was complete. So Bough started the step again from the last completed one, ${FAILURES} times, until it got the whole.`,
        'Had it given up, the text would have stayed here with a mark that says why it is incomplete.',
      );

export const branch: Scene = () =>
  answer(
    'A conversation here is a tree. Try it: edit your prompt above (the pencil on your message), write `what is in this folder?` instead, and send it.',
    'You get a second line beside this one, and ‹ 2/2 › on the prompt leads back to the first. Nothing is overwritten, and the line you were on is still the one shown after a reload. The two arrows beside the pencil show both lines beside each other.',
  );

const sentences = [
  'Now is a good moment: reload the window, or end the process of the extension host.',
  'Whatever has been streamed by then is on the disk within a second.',
  'After the restart this text stands here marked as incomplete, with the reason and with Continue and Try again.',
  'Nothing is sent by itself, and what you asked is not lost.',
];

export const crash: Scene = () => {
  const paragraphs = Array.from({ length: 12 }, (_, i) => `${i + 1}. ${sentences.join(' ')}`);
  return [
    say(
      `I am Bough's built-in demo, not a language model, and this goes on for a while.\n\n${paragraphs.join('\n\n')}\n\n${label}`,
      60,
    ),
  ];
};
