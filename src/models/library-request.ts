/** A neutral request as a protocol library takes it. Nothing is left out without a word to the model. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelInfo, ModelMessage, ModelRequest } from '../ports.js';
import { isRecord } from './json.js';

type UserPart = Extract<ModelMessage, { role: 'user' }>['parts'][number];
type AssistantPart = Extract<ModelMessage, { role: 'assistant' }>['parts'][number];
export type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
type FunctionTool = Extract<NonNullable<LanguageModelV4CallOptions['tools']>[number], { type: 'function' }>;
export type SharedOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>;
export type CallOptions = Omit<LanguageModelV4CallOptions, 'abortSignal'>;

/** How one protocol takes what not all take alike. */
export interface Mapping {
  /** The name under which its library files metadata: that of other protocols is not for it. */
  name: string;
  /** Files other than images that it takes. */
  takes: RegExp;
  /** Reasoning as it goes back; by default with its metadata, and not at all without. */
  reasoning?: (
    part: Extract<AssistantPart, { type: 'reasoning' }>,
    own: SharedOptions | undefined,
  ) => AssistantContent[];
  tool?: Partial<FunctionTool>;
}

const userContent = (part: UserPart, info: ModelInfo, mapping: Mapping): UserContent => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.mime.startsWith('image/') ? info.images !== false : mapping.takes.test(part.mime)) {
    return {
      type: 'file',
      mediaType: part.mime,
      filename: part.name,
      data: { type: 'data', data: part.bytes },
    };
  }
  const text = `[The attachment "${part.name}" (${part.mime}, ${part.bytes.length} bytes) was not sent: this model takes no such files.]`;
  return { type: 'text', text };
};

/** What this protocol's own answers carried. */
const ownOptions = (
  metadata: Record<string, unknown> | undefined,
  { name }: Mapping,
): SharedOptions | undefined => {
  const own = metadata?.[name];
  return isRecord(own) ? ({ [name]: own } as SharedOptions) : undefined;
};

/** The libraries look names up in plain objects, where "constructor" is something else. No tool of ours is called so. */
const sentName = (name: string): string => (name in Object.prototype ? `${name}_` : name);

const signedReasoning: NonNullable<Mapping['reasoning']> = (part, providerOptions) =>
  providerOptions ? [{ type: 'reasoning', text: part.text, providerOptions }] : [];

const assistantContent = (part: AssistantPart, mapping: Mapping): AssistantContent[] => {
  const providerOptions = ownOptions(part.provider_metadata, mapping);
  const own = providerOptions && { providerOptions };
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...own }];
    case 'reasoning':
      return (mapping.reasoning ?? signedReasoning)(part, providerOptions);
    case 'tool_call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.call_id,
          toolName: sentName(part.name),
          input: part.input ?? {},
          ...own,
        },
      ];
  }
};

const messageOf = (message: ModelMessage, info: ModelInfo, mapping: Mapping): LanguageModelV4Message => {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.parts.map((part) => userContent(part, info, mapping)) };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.parts.flatMap((part) => assistantContent(part, mapping)),
      };
    case 'tool':
      return {
        role: 'tool',
        content: message.parts.map((part) => ({
          type: 'tool-result',
          toolCallId: part.call_id,
          toolName: sentName(part.name),
          output: { type: part.is_error ? 'error-text' : 'text', value: part.content },
        })),
      };
  }
};

const effortOf = (reasoning: ModelInfo['reasoning']): LanguageModelV4CallOptions['reasoning'] =>
  reasoning === 'off' ? 'none' : reasoning;

const toolsOf = (request: ModelRequest, mapping: Mapping): FunctionTool[] =>
  request.tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input_schema,
    ...mapping.tool,
  }));

export const callOptions = (request: ModelRequest, info: ModelInfo, mapping: Mapping): CallOptions => {
  const system: LanguageModelV4Message[] =
    request.system.trim() === '' ? [] : [{ role: 'system', content: request.system }];
  const reasoning = effortOf(info.reasoning);
  return {
    prompt: [...system, ...request.messages.map((message) => messageOf(message, info, mapping))],
    ...(info.maxOutput !== undefined && { maxOutputTokens: info.maxOutput }),
    ...(reasoning !== undefined && { reasoning }),
    ...(request.tools.length > 0 && info.tools !== false && { tools: toolsOf(request, mapping) }),
  };
};
