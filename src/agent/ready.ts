/** What is needed to ask the model: which one it is, and what it is told. */
import type { Model } from '../ports.js';
import { isFailure, type Failure } from '../shared/failure.js';
import { wantedModel, type Core } from './core.js';
import { requestFor, type PreparedRequest } from './request.js';

export interface Ready {
  model: Model;
  prepared: PreparedRequest;
}

/** A model that is there, and the request or why there can be none. */
export interface Intended {
  model: Model;
  prepared: PreparedRequest | Failure;
}

export async function intend(core: Core, withoutImages: ReadonlySet<string>): Promise<Intended | Failure> {
  const model = await core.parts.models.resolve(wantedModel(core));
  if (isFailure(model)) return model;
  return { model, prepared: await requestFor(core, model.info, withoutImages) };
}
