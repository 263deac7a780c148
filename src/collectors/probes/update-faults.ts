// Decides after a round what is at fault for failing probes, and stores and logs the faults.

import { setImmediate } from 'node:timers/promises';
import { cronOf } from '../../lib/cron.ts';
import { runInTurns } from '../../lib/steps.ts';
import type { RunContext } from '../context.ts';
import type { Attribution } from '../faults/attribution.ts';
import { changedCauses } from '../faults/failure-causes.ts';
import { withInventory } from '../faults/with-inventory.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { readCurrentFaults } from '../proxy-tests/current-findings.ts';
import { plannedCycleMs } from '../proxy-tests/planner.ts';
import { readPlannerInput } from '../proxy-tests/planner-input.ts';
import { readProbeCells, readProviderCells } from './cells.ts';
import { readControls } from './control-state.ts';
import { correctionOf } from './correct-tests.ts';
import type { ProbeEvidence } from './evidence.ts';
import { attributeProbes } from './faults/attribute-probes.ts';
import { probeCauseLookup } from './faults/probe-causes.ts';
import { logFaults, PROXY_KINDS } from './log-faults.ts';
import type { ProbeOptions } from './options.ts';
import { vantageContext } from './vantage.ts';

type Context = RunContext<ProbeOptions>;

/** Attributes the failures of the round that began at `since` (ms). */
export const updateFaults = async (context: Context, since: number, previous: Attribution): Promise<void> => {
  const { account, options, store, clock } = vantageContext(context);
  const probes = await readProbeCells(vantageContext(context));
  const controls = await readControls(vantageContext(context));
  const evidence: ProbeEvidence = {
    ...{ vantage: options.vantage, probes, controls },
    ...(await readTests(context)),
    intervalMs: cronOf(options.schedule, account.schedule_time_zone).gap(clock.now()),
    now: clock.now(),
  };
  const faultOptions = { faultAfter: options.fault_after, since };
  const attribution = await runInTurns(attributeProbes(evidence, previous, faultOptions));
  const faults = await withInventory(context, attribution.faults);
  await logFaults(context, previous.faults, faults);
  const { inconclusive } = attribution;
  await store.tests.saveFaults(account.name, faults, clock.now(), inconclusive);
  if (evidence.testFaults.length > 0)
    await store.tests.correctFaults(
      context.account.name,
      correctionOf(evidence, faults, options.fault_after),
      clock.now(),
    );
  const [causeBefore, causeAfter] = [probeCauseLookup(previous.faults), probeCauseLookup(faults)];
  const changes = await runInTurns(changedCauses(probes, since, causeBefore, causeAfter));
  await store.tests.changeCauses(account.name, changes);
};

/** What the provider's testers show about the same proxies. */
const readTests = async (
  context: Context,
): Promise<Pick<ProbeEvidence, 'providerTests' | 'testFaults' | 'testIntervalMs'>> => {
  const options = context.account.proxy_tests;
  if (!options) return { providerTests: [], testFaults: [], testIntervalMs: 0 };
  const { proxies, budget } = await readPlannerInput({ ...context, options });
  const testIntervalMs = plannedCycleMs(proxies, budget);
  return {
    ...{ testIntervalMs, providerTests: await readProviderCells(context, testIntervalMs) },
    testFaults: await readCurrentFaults({ ...context, options }, proxies),
  };
};

/** Reads the stored attribution, without proxies that are no longer probed, because no new result can end their faults. */
export const readPreviousFaults = async (context: Context): Promise<Attribution> => {
  const vantage = vantageContext(context);
  const { account, store } = vantage;
  await setImmediate();
  const probed = new Set((await readTestedProxies(vantage)).map(({ id }) => id));
  await setImmediate();
  return {
    faults: (await store.tests.faults(account.name)).filter(
      ({ kind, subject }) => !PROXY_KINDS.has(kind) || probed.has(subject),
    ),
    inconclusive: await store.tests.inconclusiveFailures(account.name),
  };
};
