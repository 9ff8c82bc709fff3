/** An exported conversation as Markdown. What somebody wrote stays as it was written; only what we add is marked up. */
import type { Block, Conversation } from './blocks.js';
import { closedMarkdown } from './closed-markdown.js';

export function writeMarkdown({ title, facts, blocks }: Conversation): string {
  const head = [`# ${escapeLine(title)}`, ...facts.map((fact) => `> ${escapeLine(fact)}`)];
  return `${[...head, ...blocks.map(blockText)].filter((text) => text !== '').join('\n\n')}\n`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `## ${escapeLine(block.text)}`;
    case 'markdown':
    case 'typed':
      return closedMarkdown(block.text.trimEnd());
    case 'quiet':
      return `*${escapeLine(block.text)}*`;
    case 'code':
      return `${block.label}:\n\n${fenced(block.text)}`;
  }
}

/** Longer than any run of backticks within, so that nothing in it can end the block. */
function fenced(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

/** One line in which nothing is markup. */
const escapeLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#]/g, (character) => `\\${character}`);
