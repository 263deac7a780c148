// Brings the sources of the configuration up to date before a round of tests.

import { ProviderError } from '../../../provider/errors.ts';
import type { CommonOptions, FailedPart, Outcome } from '../../collector.ts';
import type { RunContext } from '../../context.ts';
import type { FoundProxies } from './found-proxies.ts';

/** Errors of one source alone; another one that asks the provider would meet the others too. */
const OF_ONE_SOURCE = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);

/** A source that fails is a failed part: what it found before is tested all the same. Throws StoreError. */
export const discover = async (
  context: RunContext<CommonOptions>,
  sources: readonly FoundProxies[],
  discoverEveryMs: number,
): Promise<Outcome> => {
  const failedParts: FailedPart[] = [];
  let isProviderDown = false;
  for (const found of sources) {
    const { name: part, asksProvider } = found.source;
    if (isProviderDown && asksProvider) continue;
    try {
      const failure = await found.refresh(context, discoverEveryMs);
      if (failure) failedParts.push({ part, ...failure });
    } catch (error) {
      if (context.signal.aborted || !(error instanceof ProviderError)) throw error;
      failedParts.push({ part, error });
      isProviderDown = !OF_ONE_SOURCE.has(error.kind);
    }
  }
  return { skipped: sources.reduce((sum, { skipped }) => sum + skipped, 0), failedParts };
};
