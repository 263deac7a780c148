// Decides what an answer to a remote write request means for the samples in it.

import { isHtml } from '../lib/http-answer.ts';

export type Answer =
  | Acceptance
  /** The receiver does not take at least one of the samples: never, or not yet, if the sample is too new for its clock. */
  | Refusal
  /** The receiver takes only smaller requests. */
  | { readonly kind: 'too large'; readonly reason: string }
  | Retry
  /** The operator has to correct the configuration or the receiver. No sample is at fault. */
  | { readonly kind: 'misconfigured'; readonly reason: string };

const REFUSED: ReadonlySet<number> = new Set([400, 409, 422]);
const TOO_LARGE = 413;
/** 408 and 425 describe the connection and not the request. */
const RETRIED: ReadonlySet<number> = new Set([408, 425, 429]);

interface Retry {
  readonly kind: 'retry';
  readonly reason: string;
  readonly retryAfterMs?: number | undefined;
  /** Whether the receiver does not take remote write 2.0, so that the next request is in 1.0. */
  readonly isFallback?: boolean;
}

export interface Acceptance {
  readonly kind: 'accepted';
  /** Whether the receiver may store a sample twice: VictoriaMetrics without deduplication, which names its host. */
  readonly keepsRepeats?: boolean;
  /** How many samples the receiver has written, which only an answer to 2.0 says. */
  readonly written?: number | undefined;
  /** The samples that the receiver has not taken, which only an answer to OTLP says: how many, but not which. */
  readonly partial?: { readonly rejected: number; readonly refusal: Refusal } | undefined;
}

export interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
  readonly limit?: Limit | undefined;
  /** How far the clock of the answer is behind ours (ms); undefined if the answer does not have its time. */
  readonly behindMs?: number | undefined;
}

/** The limit of time that a refused sample exceeds. `out of bounds` is either of them. */
type Limit = 'too old' | 'too new' | 'out of bounds';

/**
 * What receivers answer to samples outside of limits that are the same for all series; the first that matches counts.
 * Prometheus 3 answers "out of bounds: timestamp is too far in the future", and Thanos "out of bounds" to both.
 */
const LIMITS: readonly (readonly [RegExp, Limit])[] = [
  [/too[ -]far[ -]in[ -](?:the )?future|timestamp too new/i, 'too new'],
  [/too old sample|too far in the past/i, 'too old'],
  [/out of bounds/i, 'out of bounds'],
];
/** What else receivers answer to a sample that they never take. */
const NEVER_TAKEN = /out of order|duplicate sample/i;

/**
 * VictoriaMetrics answers 400 to a wrong path, where other receivers answer 404. Servers with TLS, such as Prometheus and
 * nginx, answer 400 to a request without TLS, and an address of remote write answers 400 to OTLP, or the other way round. Only a
 * gateway in front of a receiver answers with HTML. No sample is at fault, so all would be lost if these counted as refusals.
 */
const WRONG_ADDRESS =
  /unsupported (?:path|compression|content type)|snappy: corrupt input|cannot decode OpenTelemetry|HTTP request (?:was sent )?to (?:an )?HTTPS/i;

/** `text` is the start of the receiver's answer as it was received. */
export const kindOf = (status: number, text: string): Answer['kind'] => {
  if (status >= 200 && status < 300) return isHtml(text) ? 'misconfigured' : 'accepted';
  if (status === TOO_LARGE) return 'too large';
  if (status >= 500) return isAboutSample(text) ? 'refused' : 'retry';
  if (REFUSED.has(status)) return WRONG_ADDRESS.test(text) || isHtml(text) ? 'misconfigured' : 'refused';
  return RETRIED.has(status) ? 'retry' : 'misconfigured';
};

/**
 * Prometheus up to 2.49 answers 500 to samples older than its window, Thanos and M3 did so too. If proxywatch retried
 * such a request, it would never end.
 */
const isAboutSample = (text: string): boolean => limitIn(text) !== undefined || NEVER_TAKEN.test(text);

/** Returns the limit that the answer to a refused request names. */
export const limitIn = (text: string): Limit | undefined =>
  LIMITS.find(([pattern]) => pattern.test(text))?.[1];
