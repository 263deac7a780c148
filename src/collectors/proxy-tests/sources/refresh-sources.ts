// Refreshes the configured sources of proxies before a round of tests.

import { ProviderError } from '../../../provider/errors.ts';
import type { CommonOptions, FailedPart, Outcome } from '../../collector.ts';
import type { RunContext } from '../../context.ts';
import type { TrackedSource } from './tracked-source.ts';

/** Errors that concern one source only. Any other error would also fail the next source that is read from the provider. */
const SOURCE_ERRORS = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);

/** Refreshes each source. A source that fails is a failed part, and what it found before is still tested. Throws StoreError. */
export const refreshSources = async (
  context: RunContext<CommonOptions>,
  sources: readonly TrackedSource[],
  discoverEveryMs: number,
): Promise<Outcome> => {
  const failedParts: FailedPart[] = [];
  let isProviderDown = false;
  for (const tracked of sources) {
    const { name: part, isFromProvider } = tracked.source;
    if (isProviderDown && isFromProvider) continue;
    try {
      const failure = await tracked.refresh(context, discoverEveryMs);
      if (failure) failedParts.push({ part, ...failure });
    } catch (error) {
      if (context.signal.aborted || !(error instanceof ProviderError)) throw error;
      failedParts.push({ part, error });
      isProviderDown = !SOURCE_ERRORS.has(error.kind);
    }
  }
  return { skipped: sources.reduce((sum, { skipped }) => sum + skipped, 0), failedParts };
};
