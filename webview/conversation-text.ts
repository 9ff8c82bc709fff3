/** The line that is shown as Markdown text, for the clipboard. */
import type { Row } from '../src/shared/fold/types.js';
import { sentenceOf } from './transcript/sentence.js';
import { wholeMessage, type Whole } from './transcript/prompt-text.js';

export async function conversationText(rows: readonly Row[], whole: Whole): Promise<string> {
  const sections = await Promise.all(rows.map((row) => section(row, whole)));
  return sections.filter((text) => text !== '').join('\n\n');
}

async function section(row: Row, whole: Whole): Promise<string> {
  switch (row.kind) {
    case 'user':
      return `## ${row.entry.role === 'system' ? 'System' : 'Prompt'}\n\n${await wholeMessage(row.entry, whole)}`;
    case 'assistant': {
      const text = await wholeMessage(row.entry, whole);
      const calls = row.cards.map((card) => {
        const { verb, object, outcome } = sentenceOf(card);
        return `- ${verb} ${object}${outcome === undefined ? '' : ` · ${outcome}`}`;
      });
      return [text, calls.join('\n')].filter((part) => part !== '').join('\n\n');
    }
    case 'incomplete': {
      const tries = [...(row.entry.earlier ?? []), row.entry];
      const texts = await Promise.all(
        tries.map(async ({ text, blob }) => (blob === undefined ? text : await whole(blob))),
      );
      return texts.map((text) => `${text}\n\n*(incomplete)*`).join('\n\n');
    }
    case 'compaction':
      if (row.entry.without_outputs === true) return '*What tools gave above is left out for the model*';
      return quoted(row.entry.summary);
    case 'branch_summary':
      return quoted(row.entry.summary);
    case 'skill_load':
      return `*Skill ${row.entry.name}*`;
  }
}

const quoted = (text: string): string => `> ${text.replaceAll('\n', '\n> ')}`;
