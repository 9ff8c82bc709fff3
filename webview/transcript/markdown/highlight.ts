/** Code → nodes with highlight classes, for the languages people meet most; others and very long code stay plain. */
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  powershell,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});
lowlight.registerAlias({
  xml: ['svelte', 'vue'],
  ini: ['toml'],
  json: ['jsonc', 'json5', 'jsonl'],
  bash: ['shell', 'console'],
});

const LONGEST = 40_000;

export type Highlighted = string | { classes: string; children: Highlighted[] };
type LowlightNode = ReturnType<typeof lowlight.highlight>['children'][number];

/** The language as it is called here, or undefined when it has no colours. */
export function languageOf(info: string): string | undefined {
  const name = /^[^\s{,]*/.exec(info.trim())?.[0].toLowerCase() ?? '';
  return name !== '' && lowlight.registered(name) ? name : undefined;
}

export function highlight(code: string, language: string | undefined): Highlighted[] {
  if (language === undefined || code.length > LONGEST) return [code];
  return lowlight.highlight(language, code).children.flatMap(simplify);
}

function simplify(node: LowlightNode): Highlighted[] {
  if (node.type === 'text') return [node.value];
  if (node.type !== 'element') return [];
  const names = node.properties['className'];
  const classes = Array.isArray(names) ? names.join(' ') : '';
  return [{ classes, children: node.children.flatMap(simplify) }];
}
