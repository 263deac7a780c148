// Finds the faults that the pattern of all proxies shows, where nothing else decides.

import { flatMapInSteps, type Steps } from '../../../lib/steps.ts';
import { type Attribution, attributeFaults } from '../../faults/attribution.ts';
import type { ProbeRound } from './probe-round.ts';
import { isDecidedAlone } from './proxy-faults.ts';

/** Without new results, nothing is compared, and what was inconclusive stays so. */
export function* faultsByPattern(
  { judged, access, options }: ProbeRound,
  previous: Attribution,
): Steps<Attribution> {
  const cells = yield* flatMapInSteps(judged.values(), (ofProxy) =>
    isDecidedAlone(ofProxy, access) ? [] : ofProxy,
  );
  return cells.some(({ at }) => at >= options.since)
    ? yield* attributeFaults(cells, previous, { ...options, findsOutages: false })
    : { faults: [], inconclusive: previous.inconclusive };
}
