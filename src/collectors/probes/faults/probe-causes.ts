// Finds whose failure a failed probe is. While this machine is at fault, it is that of the vantage.

import { type CauseLookup, causeLookup } from '../../faults/failure-causes.ts';
import type { ProbeErrorSource } from '../evidence.ts';

const HERE: ProbeErrorSource = 'here';

/**
 * The vantage is a tester, so its own failures are those of a tester. They count neither against a proxy nor against a
 * target, also if these are at fault: the probe did not show anything about them.
 */
export const probeCauseLookup = (faults: Parameters<typeof causeLookup>[0]): CauseLookup => {
  const causeOf = causeLookup(faults);
  return (failure) => (failure.errorSource === HERE ? 'tester' : causeOf(failure));
};
