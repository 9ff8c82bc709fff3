/**
 * An exported conversation as one HTML file that needs nothing else: no script, no address that is loaded, every character
 * of the conversation escaped, and a policy that would hold even if one were not.
 */
import type { Block, Conversation } from './blocks.js';
import { escapeHtml, markdownHtml } from './markdown-html.js';

export function writeHtml(conversation: Conversation): string {
  const title = escapeHtml(conversation.title);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>
${style}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${[...conversation.facts.map((fact) => `<p class="quiet">${escapeHtml(fact)}</p>`), ...conversation.blocks.map(blockHtml)].join('\n')}
</main>
</body>
</html>
`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h2>${escapeHtml(block.text)}</h2>`;
    case 'markdown':
      return `<div class="answer">${markdownHtml(block.text)}</div>`;
    case 'typed':
      return `<div class="typed">${escapeHtml(block.text)}</div>`;
    case 'quiet':
      return `<p class="quiet">${escapeHtml(block.text)}</p>`;
    case 'code':
      return `<details><summary>${escapeHtml(block.label)}</summary><pre>${escapeHtml(block.text)}</pre></details>`;
  }
}

const style = `:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { margin: 0 auto; max-width: 760px; overflow-wrap: anywhere; padding: 24px 16px; }
h1 { font-size: 1.4em; }
h2 { border-top: 1px solid #8884; font-size: 1em; margin: 24px 0 8px; padding-top: 12px; }
.typed { background: #8882; border-radius: 4px; padding: 8px 12px; white-space: pre-wrap; }
.quiet { font-size: 0.9em; margin: 4px 0; opacity: 0.75; }
pre { background: #8882; border-radius: 4px; overflow: auto; padding: 8px 12px; white-space: pre-wrap; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.92em; }
table { border-collapse: collapse; }
th, td { border: 1px solid #8886; padding: 4px 8px; }
blockquote { border-inline-start: 2px solid #8886; margin: 8px 0; padding-inline-start: 12px; }
details { margin: 4px 0; }
summary { cursor: pointer; font-size: 0.9em; }`;
