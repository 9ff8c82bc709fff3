/**
 * A strict reading of Gemini's generateContent: what the reference says, and what the service refuses beyond that (as
 * many responses as calls, directly behind them; parts without data; calls of Gemini 3 without a signature).
 */
import { isBlank, isObject, malformedStrings, toolNameViolations } from './rules.js';

type Wire = Record<string, unknown>;

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;
const BASE64 = /^[A-Za-z0-9+/]+=*$/;

interface Content {
  role: unknown;
  parts: Wire[];
}

export function geminiViolations(body: Wire, model: string): string[] {
  const contents = contentsOf(body);
  if (contents === undefined || contents.length === 0) return ['contents is no list of contents with parts'];
  return [
    ...malformedStrings(body).map((path) => `${path} is not well formed`),
    ...orderViolations(contents),
    ...contents.flatMap(({ parts, role }, index) =>
      parts.flatMap((part) => partViolations(part, role)).map((what) => `contents[${index}]: ${what}`),
    ),
    ...pairViolations(contents),
    ...(/gemini-3/.test(model) ? signatureViolations(contents) : []),
    ...systemViolations(body),
    ...toolViolations(body, contents),
  ];
}

function contentsOf(body: Wire): Content[] | undefined {
  const list = Array.isArray(body['contents']) ? (body['contents'] as unknown[]) : [];
  const contents: Content[] = [];
  for (const content of list) {
    if (!isObject(content) || !Array.isArray(content['parts'])) return undefined;
    contents.push({ role: content['role'], parts: (content['parts'] as unknown[]).filter(isObject) });
  }
  return contents;
}

function orderViolations(contents: readonly Content[]): string[] {
  const found: string[] = [];
  if (contents[0]?.role !== 'user') found.push('the first content is not of the user');
  if (contents.at(-1)?.role !== 'user') found.push('the last content is not of the user');
  contents.forEach(({ role, parts }, index) => {
    if (role !== 'user' && role !== 'model') found.push(`contents[${index}]: unknown role`);
    if (role === 'model' && contents[index - 1]?.role === 'model')
      found.push(`contents[${index}]: two of the model`);
    if (parts.length === 0) found.push(`contents[${index}]: no parts`);
  });
  return found;
}

const kinds = ['text', 'inlineData', 'functionCall', 'functionResponse'];

function partViolations(part: Wire, role: unknown): string[] {
  const kind = kinds.filter((one) => part[one] !== undefined);
  const [only] = kind;
  if (kind.length !== 1 || only === undefined) return [`a part with ${kind.length} kinds of data`];
  const isOfModel = role === 'model';
  if ((only === 'functionCall') !== isOfModel && only !== 'text')
    return [`${only} in a content of ${String(role)}`];
  const data = part[only];
  switch (only) {
    case 'text':
      if (typeof data !== 'string') return ['a text that is none'];
      return isBlank(data) && part['thoughtSignature'] === undefined ? ['a blank text'] : [];
    case 'inlineData':
      return isObject(data) &&
        BASE64.test(String(data['data'])) &&
        /^\w+\/[\w.+-]+$/.test(String(data['mimeType']))
        ? []
        : ['a file without data'];
    case 'functionCall':
      return isObject(data) && NAME.test(String(data['name'])) && isObject(data['args']) ? [] : ['a call'];
    default:
      return isObject(data) && NAME.test(String(data['name'])) && isObject(data['response'])
        ? []
        : ['a response'];
  }
}

const named = (parts: readonly Wire[], kind: string): string[] =>
  parts.flatMap((part) => {
    const data = part[kind];
    return isObject(data) ? [`${String(data['name'])} ${String(data['id'])}`] : [];
  });

function pairViolations(contents: readonly Content[]): string[] {
  const ids = new Set<string>();
  return contents.flatMap(({ parts }, index) => {
    const found: string[] = [];
    const calls = named(contents[index - 1]?.parts ?? [], 'functionCall');
    const responses = named(parts, 'functionResponse');
    if (calls.join() !== responses.join())
      found.push(`contents[${index}]: calls ${calls.join()}, responses ${responses.join()}`);
    for (const call of named(parts, 'functionCall')) {
      const id = call.split(' ')[1] ?? '';
      if (ids.has(id)) found.push(`contents[${index}]: call id ${id} is not unique`);
      ids.add(id);
    }
    return found;
  });
}

/** The first call of each step carries a signature, or the documented word for one that there never was. */
const signatureViolations = (contents: readonly Content[]): string[] =>
  contents.flatMap(({ parts }, index) => {
    const first = parts.find((part) => part['functionCall'] !== undefined);
    return first && typeof first['thoughtSignature'] !== 'string'
      ? [`contents[${index}]: a call without a signature`]
      : [];
  });

function systemViolations({ systemInstruction: system }: Wire): string[] {
  if (system === undefined) return [];
  const parts = isObject(system) && Array.isArray(system['parts']) ? (system['parts'] as unknown[]) : [];
  const isSound = parts.length > 0 && parts.every((part) => isObject(part) && !isBlank(String(part['text'])));
  return isSound ? [] : ['a blank system instruction'];
}

function toolViolations(body: Wire, contents: readonly Content[]): string[] {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as unknown[]).filter(isObject) : [];
  const declared = tools.flatMap((tool) =>
    Array.isArray(tool['functionDeclarations']) ? (tool['functionDeclarations'] as unknown[]) : [],
  );
  const found = toolNameViolations(declared.map((one) => (isObject(one) ? one['name'] : undefined)));
  for (const one of declared.filter(isObject)) {
    if (!isObject(one['parametersJsonSchema'] ?? one['parameters']))
      found.push('a function without a schema');
  }
  const hasCalls = contents.some(({ parts }) => parts.some((part) => part['functionCall'] !== undefined));
  if (hasCalls && declared.length === 0) found.push('calls in the history, but no functions are declared');
  return found;
}
