/** What an exported conversation is made of, whatever it is written as. */

export type Block =
  /** Who speaks. */
  | { kind: 'heading'; text: string }
  /** Markdown of a model. */
  | { kind: 'markdown'; text: string }
  /** As a person typed it. */
  | { kind: 'typed'; text: string }
  /** Something that happened, in one line. */
  | { kind: 'quiet'; text: string }
  /** A text that is shown as it is: what a tool was given, what it gave. */
  | { kind: 'code'; label: string; text: string };

export interface Conversation {
  title: string;
  /** What is to be known first: when it began, which line this is, what could not be read. */
  facts: string[];
  blocks: Block[];
}

/** The same with every text in it changed; counts the texts that are another now. */
export function mapConversation(
  { title, facts, blocks }: Conversation,
  change: (text: string) => string,
): { conversation: Conversation; changed: number } {
  let changed = 0;
  const map = (text: string): string => {
    const now = change(text);
    if (now !== text) changed += 1;
    return now;
  };
  const conversation = {
    title: map(title),
    facts: facts.map(map),
    blocks: blocks.map((block) => ({ ...block, text: map(block.text) })),
  };
  return { conversation, changed };
}
