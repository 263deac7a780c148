// Concludes from the endpoints that reject the keys whether the provider rejects them as a whole.

import { MINUTE } from '../lib/time.ts';

/** What is known of the rejections by an endpoint. Times are in ms since the epoch. */
export interface RejectingEndpoint {
  readonly state: {
    readonly lastSuccessAt: number | null;
    rejectedSince: number | null;
    rejectedStatus: number | null;
  };
  /** The newest rejection (ms); null before the first one since the start. */
  rejectedAt: number | null;
}

/** A 401 that soon after a success of the same endpoint is about one page or part of a run, and not about the keys. */
const SAME_RUN_MS = MINUTE;
/** The provider does not know the keys. The other rejections (403, 499) may concern the endpoint alone. */
const UNAUTHORIZED = 401;
/** The keys count as rejected if this many endpoints reject them and no request succeeds meanwhile. */
const MIN_ENDPOINTS = 2;

/**
 * Returns since when the provider rejects the keys (ms); null while it accepts them. 403 and 499 count against the keys
 * only if several endpoints answer them, or all that are `required`: a frequent collector that is forbidden alone gets
 * several rejections before another endpoint is requested.
 */
export const keysRejectedSinceIn = (
  known: ReadonlyMap<string, RejectingEndpoint>,
  required: ReadonlySet<string>,
): number | null => {
  const rejected = rejectedSinceSuccess([...known.values()]);
  const hasUnrejected = [...required].some((endpoint) => !known.get(endpoint)?.state.rejectedSince);
  const areKeysRejected =
    rejected.length >= MIN_ENDPOINTS ||
    rejected.some((endpoint) => isUnauthorized(endpoint) && !isOfOneRun(endpoint)) ||
    (rejected.length > 0 && !hasUnrejected);
  return areKeysRejected ? Math.max(...rejected.map(({ state }) => state.rejectedSince ?? 0)) : null;
};

/** Clears the rejections of several endpoints that did not know the keys, once another one has accepted them. */
export const clearUnauthorized = (known: readonly RejectingEndpoint[]): void => {
  const unauthorized = rejectedSinceSuccess(known).filter(isUnauthorized);
  if (unauthorized.length >= MIN_ENDPOINTS) for (const endpoint of unauthorized) clearRejection(endpoint);
};

export const clearRejection = ({ state }: RejectingEndpoint): void => {
  state.rejectedSince = null;
  state.rejectedStatus = null;
};

/** Returns the endpoints whose first rejection is newer than the last success of any endpoint. */
const rejectedSinceSuccess = (known: readonly RejectingEndpoint[]): RejectingEndpoint[] => {
  const successAt = Math.max(0, ...known.map(({ state }) => state.lastSuccessAt ?? 0));
  return known.filter(({ state }) => (state.rejectedSince ?? 0) > successAt);
};

const isUnauthorized = ({ state }: RejectingEndpoint): boolean => state.rejectedStatus === UNAUTHORIZED;

const isOfOneRun = ({ state, rejectedAt }: RejectingEndpoint): boolean =>
  state.lastSuccessAt !== null &&
  (rejectedAt ?? state.rejectedSince ?? 0) - state.lastSuccessAt < SAME_RUN_MS;
