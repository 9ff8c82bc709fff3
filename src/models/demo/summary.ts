/** What the demo gives when it is asked for a summary: it cannot tell what matters, so it lists what the person asked. */
import { say, type Scene } from './talk.js';

/** A request that brings no tools and a conversation to sum up. */
export const isSummaryRequest = (prompt: string, hasTools: boolean): boolean =>
  !hasTools && prompt.includes('<conversation>');

const WORDS = 160;

export const summary: Scene = ({ prompt }) => {
  const conversation = prompt.slice(prompt.lastIndexOf('<conversation>'));
  const asked = [...conversation.matchAll(/^\[User\]: (.*)$/gm)].map(([, words = '']) =>
    words.slice(0, WORDS),
  );
  const before = /<summary-so-far>\n([\s\S]*?)\n<\/summary-so-far>/.exec(prompt)?.[1];
  const paragraphs = [
    'The built-in demo is no language model: it cannot sum up, only list what was asked.',
    ...(before === undefined ? [] : [before]),
    asked.length === 0 ? 'Nothing was asked.' : asked.map((words) => `- ${words}`).join('\n'),
  ];
  return [say(paragraphs.join('\n\n'))];
};
