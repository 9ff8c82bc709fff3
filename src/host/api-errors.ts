/** A failure as the public API throws it: with its code, and whole. */
import type { Failure } from '../shared/failure.js';
import type { ApiError } from './api.js';

export const thrown = (failure: Failure): ApiError =>
  Object.assign(new Error(failure.message), {
    name: 'BoughError' as const,
    code: failure.code ?? failure.kind,
    failure,
  });
