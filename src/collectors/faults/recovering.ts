// Says in words that a fault is about to end. A fault outlasts the failures that began it.

import type { Tally } from './tally.ts';

const PASS_AGAIN = 'pass again, but not for long enough yet';
const RECOVERING = 'it is recovering';

/** `what` are the tests or probes of a proxy. */
export const passAgain = (what: 'tests' | 'probes'): string => `its ${what} ${PASS_AGAIN}`;

/** `share` is what still fails. `isHealthy` is whether that is less than the share at which the fault ends. */
export const recoveringReason = (share: string, isHealthy: boolean): string =>
  `${RECOVERING} (${share}), but the fault ends only ${isHealthy ? 'after more such rounds' : 'below 25%'}`;

export const orRecovering = (tally: Tally, votes: string): string =>
  tally.isFaulty ? votes : recoveringReason(votes, tally.isHealthy);

/** Whether the reason is one of these. Nothing has to be done about such a fault. */
export const isRecovering = (reason: string): boolean =>
  reason.includes(PASS_AGAIN) || reason.includes(RECOVERING);
