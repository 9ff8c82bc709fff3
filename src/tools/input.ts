/** A tool's input: one schema is what the model is told and what is checked; a wrong input is refused, never repaired. */
import * as z from 'zod';
import { toolFailure, type Failure } from '../shared/failure.js';

/** The JSON Schema that a provider gets. */
export function inputSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return json;
}

/** Checks an input. A field that is null counts as not given: several providers fill optional fields that way. */
export function parseInput<S extends z.ZodType>(
  tool: string,
  schema: S,
  input: unknown,
): z.infer<S> | Failure {
  const parsed = schema.safeParse(withoutNulls(input));
  if (parsed.success) return parsed.data;
  const reasons = parsed.error.issues.map(
    ({ path, message }) => `${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
  );
  return toolFailure('invalid-input', `The input of ${tool} is not valid. ${reasons.join('; ')}.`);
}

function withoutNulls(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
