// Reads the stored attribution before a round, and stores the one after it with the causes that it changes.

import { setImmediate } from 'node:timers/promises';
import { runInTurns } from '../../lib/steps.ts';
import type { ReadContext } from '../context.ts';
import type { SourceOptions } from '../proxy-sources/entries.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { type Attribution, isOfOneProxy } from './attribution.ts';
import { causeLookup, changedCauses } from './failure-causes.ts';
import type { FaultCell } from './proxy-round.ts';

/** Leaves out faults of proxies that are no longer tested, because no new result can end them. */
export const readPreviousAttribution = async (context: ReadContext<SourceOptions>): Promise<Attribution> => {
  const { account, store } = context;
  await setImmediate();
  const tested = new Set((await readTestedProxies(context)).map(({ id }) => id));
  await setImmediate();
  const faults = await store.tests.faults(account.name);
  return {
    faults: faults.filter((fault) => !isOfOneProxy(fault) || tested.has(fault.subject)),
    inconclusive: await store.tests.inconclusiveFailures(account.name),
  };
};

/** `cells` are those of the round that began at `since` (ms). */
export const saveAttribution = async (
  { account, store, clock }: Pick<ReadContext<unknown>, 'account' | 'store' | 'clock'>,
  { faults, inconclusive }: Attribution,
  previous: Attribution,
  cells: readonly FaultCell[],
  since: number,
): Promise<void> => {
  await store.tests.saveFaults(account.name, faults, clock.now(), inconclusive);
  const [causeBefore, causeAfter] = [causeLookup(previous.faults), causeLookup(faults)];
  const changes = await runInTurns(changedCauses(cells, since, causeBefore, causeAfter));
  await store.tests.changeCauses(account.name, changes);
};
