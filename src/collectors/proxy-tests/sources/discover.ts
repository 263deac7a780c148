// Brings the sources of the configuration up to date before a round of tests.

import { ProviderError } from '../../../provider/errors.ts';
import type { CommonOptions, Outcome, RunContext } from '../../collector.ts';
import type { FoundProxies } from './found-proxies.ts';

/** Errors of one source alone; another one would meet the others too. */
const OF_ONE_SOURCE = new Set(['rejected', 'not_found', 'bad_response', 'timeout']);

/** A source that fails is a failed part: what it found before is tested all the same. Throws StoreError. */
export const discover = async (
  context: RunContext<CommonOptions>,
  sources: readonly FoundProxies[],
  discoverEveryMs: number,
): Promise<Outcome> => {
  const failedParts: { part: string; error: ProviderError }[] = [];
  for (const found of sources) {
    try {
      await found.refresh(context, discoverEveryMs);
    } catch (error) {
      if (context.signal.aborted || !(error instanceof ProviderError)) throw error;
      failedParts.push({ part: found.source.name, error });
      if (!OF_ONE_SOURCE.has(error.kind)) break;
    }
  }
  return { skipped: sources.reduce((sum, { skipped }) => sum + skipped, 0), failedParts };
};
