// Judges a world without one of its truths, to show that the search can fail.

import { type Mistake, mistakesIn } from './oracle.ts';
import { play } from './play.ts';
import type { Simulation } from './simulation.ts';
import type { World } from './truth.ts';

/** The proxy p0 is down from the tenth minute on. */
export const DEAD_PROXY: World = {
  ...{ proxies: 3, targets: 2, testers: 2, hasProbes: true, hasControls: true },
  ...{ testEvery: 10, probeEvery: 5, faultAfter: 2, startsAt: 0, minutes: 60 },
  truths: [{ kind: 'dead', proxy: 0, ends: 'connect_timeout', begin: 600_000, end: 3_600_000 }],
};

/** The mistakes of an oracle that knows of the dead proxy, and of one that does not. */
export const mistakesAboutDeadProxy = async (
  simulation: Simulation,
): Promise<Readonly<Record<'known' | 'hidden', readonly Mistake[]>>> => {
  const mistakes: Record<'known' | 'hidden', Mistake[]> = { known: [], hidden: [] };
  await play(DEAD_PROXY, simulation, (said) => {
    mistakes.known.push(...mistakesIn(DEAD_PROXY, said));
    mistakes.hidden.push(...mistakesIn({ ...DEAD_PROXY, truths: [] }, said));
  });
  return mistakes;
};
