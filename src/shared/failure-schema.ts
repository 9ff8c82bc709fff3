/** Checks a failure that comes from a log or over the wire. */
import * as z from 'zod';
import { failureActions, failureKinds, type Failure } from './failure.js';

export const failureSchema = z.object({
  kind: z.enum(failureKinds),
  message: z.string(),
  transient: z.boolean(),
  code: z.string().optional(),
  status: z.number().optional(),
  retry_after_ms: z.number().nonnegative().optional(),
  max_images: z.number().int().nonnegative().optional(),
  detail: z.string().optional(),
  action: z.enum(failureActions).optional(),
}) satisfies z.ZodType<Failure>;
