/**
 * Version-3 tree logs (Kit's format) as our own entries, for reading only; the bytes stay as they are. Deviations of that
 * format that matter: parents are omitted at a root, parts are {type, data}, tool input is a JSON string, images are
 * inline, a compaction is a root although it continues the line before it, and notes are nodes of the tree: whoever
 * appended one stood where it hangs. What may be empty or null there has a value of ours that means the same.
 */
import { pathToFileURL } from 'node:url';

export const KIT_VERSION = 3;

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A version-3 record as one of version 4; whether it fits is for the schema to say. */
export function fromVersion3(record: Json): Json {
  const base = { ...record, parent_id: record['parent_id'] ?? null };
  switch (record['type']) {
    case 'message':
      return message(base);
    case 'label':
      return { ...base, label: text(record['label']) || null };
    case 'session_info':
      return { ...base, name: text(record['name']) };
    case 'extension_data':
      return { ...base, data: record['data'] ?? '' };
    case 'branch_summary': {
      const from_id = text(record['from_id']) || base.parent_id || record['id'];
      return { ...base, from_id, summary: text(record['summary']) };
    }
    case 'compaction':
      return compaction(base);
    case 'incomplete_output':
      return {
        ...base,
        attempt_id: text(record['attempt_id']),
        text: text(record['text']),
        incomplete: true,
      };
    default:
      return base;
  }
}

/** A header's `cwd` is what our `folder` is, on whatever system it was written. */
export function headerFromVersion3(header: Json): Json {
  const { cwd, folder } = header;
  const uri = typeof cwd === 'string' && folder === undefined ? uriOf(cwd) : undefined;
  return uri === undefined ? header : { ...header, folder: uri };
}

function uriOf(cwd: string): string | undefined {
  if (cwd.startsWith('/')) return pathToFileURL(cwd).href;
  if (!/^[a-z]:[\\/]/i.test(cwd)) return undefined;
  return `file:///${cwd.split(/[\\/]/).map(encodeURIComponent).join('/')}`;
}

/** Only version 3 has parts with their fields in `data`: it can be told by them where the header is lost. */
export function looksLikeVersion3(record: unknown): boolean {
  if (!isObject(record) || record['type'] !== 'message' || !Array.isArray(record['parts'])) return false;
  return record['parts'].some((part) => isObject(part) && isObject(part['data']));
}

/** One that keeps nothing names itself as the first that is kept. */
function compaction(record: Json): Json {
  const { read_files, modified_files, ...rest } = record;
  const files = { read_files, modified_files };
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(files).filter(([, names]) => Array.isArray(names))),
    summary: text(record['summary']),
    first_kept_entry_id: text(record['first_kept_entry_id']) || record['id'],
    tokens_before: record['tokens_before'] ?? 0,
    tokens_after: record['tokens_after'] ?? 0,
  };
}

/** A compaction is written without a parent; it continues the line it compacts. */
export const continuesLine = (entry: { type: string; parent_id: string | null }): boolean =>
  entry.type === 'compaction' && entry.parent_id === null;

function message(record: Json): Json {
  const parts: Json[] = [];
  let finishReason: string | undefined;
  for (const part of Array.isArray(record['parts']) ? record['parts'] : []) {
    const { type, data } = isObject(part) ? part : {};
    const fields = isObject(data) ? data : {};
    if (type === 'finish') finishReason = text(fields['reason']);
    else parts.push(partOf(text(type), fields));
  }
  return { ...record, parts, ...(finishReason === undefined ? {} : { finish_reason: finishReason }) };
}

/** The images of a version-3 message as bytes, by the place of their part in ours. */
export function imagesOf(record: unknown): Map<number, { bytes: Uint8Array; mime: string; name: string }> {
  const images = new Map<number, { bytes: Uint8Array; mime: string; name: string }>();
  const parts = isObject(record) && Array.isArray(record['parts']) ? (record['parts'] as unknown[]) : [];
  let index = 0;
  for (const part of parts) {
    const { type, data } = isObject(part) ? part : {};
    if (type === 'finish') continue;
    const fields = isObject(data) ? data : {};
    if (type === 'image' && typeof fields['data'] === 'string') {
      const mime = text(fields['media_type']) || 'application/octet-stream';
      const bytes = Buffer.from(fields['data'], 'base64');
      images.set(index, { bytes, mime, name: `image-${index + 1}.${mime.split('/').pop() ?? 'bin'}` });
    }
    index++;
  }
  return images;
}

function partOf(type: string, data: Json): Json {
  switch (type) {
    case 'text':
      return { type, text: text(data['text']) };
    case 'reasoning':
      return {
        type,
        text: text(data['thinking']),
        ...(typeof data['signature'] === 'string' ? { signature: data['signature'] } : {}),
      };
    case 'tool_call':
      return {
        type,
        call_id: callId(data['id']),
        provider_call_id: text(data['id']),
        name: text(data['name']),
        ...input(data),
      };
    case 'tool_result':
      return {
        type,
        call_id: callId(data['tool_call_id']),
        name: text(data['name']),
        content: text(data['content']),
        is_error: data['is_error'] === true,
      };
    case 'image':
      return { type: 'text', text: `[image ${text(data['media_type'])}, in the original file]` };
    default:
      return { type: 'text', text: `[${type || 'a part'} that cannot be shown, in the original file]` };
  }
}

/** Version 3 may leave a call's id empty. */
const callId = (id: unknown): string => text(id) || 'tool_0';

function input(data: Json): Json {
  if (isObject(data['input'])) return { input: data['input'] };
  const raw = text(data['input']);
  try {
    const value: unknown = JSON.parse(raw || '{}');
    if (data['finished'] !== false) return { input: value };
  } catch {
    return { input: {}, raw_input: raw }; // arguments that do not parse are shown as they came
  }
  return { input: {}, raw_input: raw };
}
