// Refreshes the configured sources of proxies before a round of tests.

import { MINUTE } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { CommonOptions, FailedPart, Outcome } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { OtherCustomerError } from '../customer.ts';
import type { TrackedSource } from './tracked-source.ts';

/** Errors that concern one source only. Any other error may also fail the next source of the same endpoint. */
const SOURCE_ERRORS = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);
/** If this many sources of an endpoint fail with such an error, its other sources are not read in this round. */
const MAX_ENDPOINT_FAILURES = 3;
/** All sources together wait this long for the end of pauses. The rest of the run is for the tests. */
const LONGEST_WAIT_MS = MINUTE;

/** Refreshes each source. A source that fails is a failed part, and what it found before is still tested. Throws StoreError. */
export const refreshSources = async (
  context: RunContext<CommonOptions>,
  sources: readonly TrackedSource[],
  discoverEveryMs: number,
): Promise<Outcome> => {
  const client = context.client.forRun(context.clock.monotonic() + LONGEST_WAIT_MS);
  const failedParts: FailedPart[] = [];
  const failuresByEndpoint = new Map<string, number>();
  let hasOtherCustomer = false;
  for (const tracked of sources) {
    const { name: part, endpoint = '', isFromProvider } = tracked.source;
    if (isFromProvider && hasOtherCustomer) continue;
    if ((failuresByEndpoint.get(endpoint) ?? 0) >= MAX_ENDPOINT_FAILURES) continue;
    try {
      const failure = await tracked.refresh({ ...context, client }, discoverEveryMs);
      if (failure) failedParts.push({ part, ...failure });
    } catch (error) {
      if (context.signal.aborted || !(error instanceof ProviderError)) throw error;
      failedParts.push({ part, error });
      // No answer may be stored until the keys belong to the right customer again.
      hasOtherCustomer ||= error instanceof OtherCustomerError;
      if (!SOURCE_ERRORS.has(error.kind))
        failuresByEndpoint.set(endpoint, (failuresByEndpoint.get(endpoint) ?? 0) + 1);
    }
  }
  return { skipped: sources.reduce((sum, { skipped }) => sum + skipped, 0), failedParts };
};
