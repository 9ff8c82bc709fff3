/** The sentences: what a failure is called, whether it passes by itself, and what the person can change about it. */
import type { FailureAction, FailureKind } from '../shared/failure.js';
import { imageLimit, isNoRoute, type Told } from './told.js';

/** What a sentence may name, and the keys it must not show. */
export interface Endpoint {
  provider: string;
  model: string;
  baseUrl: string;
  hasKey: boolean;
  secrets: readonly string[];
  /** What should stand at the base URL, and what its address ends in. */
  service?: { service: string; ending: string };
}

export interface Verdict {
  kind: FailureKind;
  transient: boolean;
  sentence: string;
  action?: FailureAction;
  code?: string;
  /** How many images it takes in one request, when there were too many. */
  max_images?: number;
}

const says = ({ message }: Told): string => (message === '' ? '' : `: ${message.replace(/[.\s]+$/, '')}`);
const inParens = (status: number | undefined): string => (status === undefined ? '' : ` (${status})`);

export const auth = (at: Endpoint, status: number | undefined): Verdict => ({
  kind: 'auth',
  transient: false,
  action: 'set-key',
  sentence: at.hasKey
    ? `"${at.provider}" refused the API key${inParens(status)}. Set a valid key for ${at.baseUrl}.`
    : `"${at.provider}" wants an API key${inParens(status)} and none is set. Set the key for ${at.baseUrl}.`,
});

export const quota = (at: Endpoint, about: Told): Verdict => ({
  kind: 'rate',
  transient: false,
  action: 'select-model',
  code: 'quota',
  sentence: `The quota or credit at "${at.provider}" is used up${says(about)}. Add credit there or choose another model.`,
});

export const overflow = (at: Endpoint, about: Told): Verdict => ({
  kind: 'overflow',
  transient: false,
  action: 'select-model',
  sentence: `The conversation is too long for "${at.model}"${says(about)}. Choose a model with a larger context, leave out what tools gave so far, or branch from an earlier message.`,
});

export const contentRefused = (at: Endpoint, about: Told): Verdict => ({
  kind: 'refused',
  transient: false,
  code: 'content',
  sentence: `"${at.provider}" refused the content of this request${says(about)}. Change the prompt, or choose another model.`,
});

export const imageRefused = (at: Endpoint, about: Told): Verdict => {
  const { isNumber, most } = imageLimit(about);
  return {
    kind: 'refused',
    transient: false,
    action: 'select-model',
    code: isNumber ? 'images' : 'image',
    ...(most !== undefined && { max_images: most }),
    sentence: `"${at.provider}" did not accept ${isNumber ? 'that many images' : 'an image'} for "${at.model}"${inParens(about.status)}${says(about)}. Send fewer or smaller images, or choose another model.`,
  };
};

export const rate = (at: Endpoint, about: Told): Verdict => ({
  kind: 'rate',
  transient: true,
  sentence: `"${at.provider}" limits how many requests it takes${inParens(about.status)}${says(about)}.`,
});

export const overloaded = (at: Endpoint, about: Told): Verdict => ({
  kind: 'overloaded',
  transient: true,
  sentence: `"${at.provider}" cannot answer just now${inParens(about.status)}${says(about)}.`,
});

/** A missing route and a missing model look alike: what the body says decides, and without a body it is the model. */
export const notFound = (at: Endpoint, about: Told, isForeign: boolean): Verdict =>
  !isForeign && !isNoRoute(about)
    ? {
        kind: 'refused',
        transient: false,
        action: 'select-model',
        sentence: `"${at.provider}" has no model "${at.model}" (404)${says(about)}. Choose another model.`,
      }
    : {
        kind: 'refused',
        transient: false,
        action: 'open-settings',
        sentence: `There is no ${at.service?.service ?? 'chat-completions'} service at ${at.baseUrl} (404). Check the base URL of "${at.provider}"; ${at.service?.ending ?? 'most end in /v1'}.`,
      };

export const redirected = (at: Endpoint, status: number, location: string | undefined): Verdict => ({
  kind: 'refused',
  transient: false,
  action: 'open-settings',
  sentence: `${at.baseUrl} redirects${location === undefined ? '' : ` to ${location}`} (${status}), which is not followed so that no key goes astray. Put the right base URL into the settings of "${at.provider}".`,
});

export const rejected = (at: Endpoint, about: Told): Verdict => ({
  kind: 'refused',
  transient: false,
  action: 'select-model',
  sentence: `"${at.provider}" did not accept the request for "${at.model}"${inParens(about.status)}${says(about)}. Choose another model, or change what the message says is wrong.`,
});

export const forbidden = (at: Endpoint, about: Told): Verdict => ({
  kind: 'auth',
  transient: false,
  action: 'set-key',
  sentence: `"${at.provider}" does not allow this (403)${says(about)}. Use a key that may use "${at.model}", or choose another model.`,
});

export const unexplained = (at: Endpoint): Verdict => ({
  kind: 'overloaded',
  transient: true,
  sentence: `"${at.provider}" broke off the answer with an error it did not explain.`,
});

export const brokenOff = (at: Endpoint, about: Told): Verdict => ({
  kind: 'refused',
  transient: false,
  action: 'select-model',
  sentence: `"${at.provider}" broke off the answer${says(about)}. Try again, or choose another model.`,
});

/** An empty 200 is what a dying server or proxy gives. */
export const emptyAnswer = (at: Endpoint): Verdict => ({
  kind: 'network',
  transient: true,
  sentence: `"${at.provider}" answered with an empty body instead of a stream.`,
});

/** A page is what stands at a wrong address, or before a network that wants a sign-in. */
export const noStream = (at: Endpoint, what: string): Verdict => ({
  kind: 'network',
  transient: false,
  action: 'open-settings',
  sentence: `${at.baseUrl} answered with ${what} instead of a model's stream. Check the base URL of "${at.provider}" and whether the network asks you to sign in.`,
});
