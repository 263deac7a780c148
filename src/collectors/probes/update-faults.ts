// Decides after a round what is at fault for failing probes, and stores and logs the faults.

import { cronOf } from '../../lib/cron.ts';
import { runInTurns, yieldEvery } from '../../lib/steps.ts';
import type { ProbeFailureDetails } from '../../store/probe-store.ts';
import type { RunContext } from '../context.ts';
import { type AttributedFault, type Attribution, faultKey, isOfOneProxy } from '../faults/attribution.ts';
import { saveAttribution } from '../faults/stored-attribution.ts';
import { withInventory } from '../inventory-evidence.ts';
import { readCurrentFaults } from '../proxy-tests/current-findings.ts';
import { plannedCycleMs } from '../proxy-tests/planner.ts';
import { readPlannerInput } from '../proxy-tests/planner-input.ts';
import { readControls } from './controls.ts';
import { readProbeCells, readProviderCells } from './current-state.ts';
import type { ProbeEvidence } from './evidence.ts';
import { attributeProbes } from './faults/attribute-probes.ts';
import { correctionOf } from './faults/contradicted-tests.ts';
import type { ProbeOptions } from './options.ts';
import { vantageContext } from './vantage.ts';

type Context = RunContext<ProbeOptions>;

/** Attributes the failures of the round that began at `since` (ms). */
export const updateFaults = async (context: Context, since: number, previous: Attribution): Promise<void> => {
  const vantage = vantageContext(context);
  const { account, options, store, clock } = vantage;
  const probes = await readProbeCells(vantage);
  const controls = await readControls(vantage);
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
  await saveAttribution(vantage, { ...attribution, faults }, previous, probes, since);
  if (evidence.testFaults.length > 0)
    await store.tests.correctFaults(
      context.account.name,
      correctionOf(evidence, faults, options.fault_after),
      clock.now(),
    );
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

type Faults = readonly AttributedFault[];

/** A firewall of this machine is a fault of each proxy: thousands of lines would say the same. */
const MAX_LINES_PER_REASON = 5;
/** Lines of many reasons must not block the event loop. */
const LINES_PER_TURN = 50;

const logFaults = async (context: Context, before: Faults, after: Faults): Promise<void> => {
  const { log } = context;
  const pause = yieldEvery(LINES_PER_TURN);
  for (const group of groupsOf(without(after, before))) {
    await pause();
    const [{ kind, reason }] = group;
    const failure = await lastFailure(context, group[0]);
    log.warn({ kind, ...subjectsOf(group), reason, ...failure }, 'fault found by probes');
  }
  for (const group of groupsOf(without(before, after))) {
    await pause();
    log.info({ kind: group[0].kind, ...subjectsOf(group) }, 'fault found by probes has ended');
  }
};

const without = (faults: Faults, others: Faults): Faults => {
  const keys = new Set(others.map(faultKey));
  return faults.filter((fault) => !keys.has(faultKey(fault)));
};

type Group = readonly [AttributedFault, ...AttributedFault[]];

const groupsOf = (faults: Faults): Group[] =>
  [...Map.groupBy(faults, ({ kind, reason }) => `${kind} ${reason}`).values()].flatMap((same): Group[] => {
    const [first, ...others] = same;
    if (!first) return [];
    return same.length > MAX_LINES_PER_REASON ? [[first, ...others]] : same.map((fault) => [fault]);
  });

const subjectsOf = (group: Group) =>
  group.length === 1
    ? { subject: group[0].subject }
    : { count: group.length, subjects: group.slice(0, MAX_LINES_PER_REASON).map(({ subject }) => subject) };

type ShownFailure = Pick<ProbeFailureDetails, 'url' | 'phase' | 'cause' | 'code' | 'requestId'>;

/** What the customer needs when they ask the provider's support about a proxy. */
const lastFailure = async (context: Context, fault: AttributedFault): Promise<Partial<ShownFailure>> => {
  if (!isOfOneProxy(fault)) return {};
  const { account, store } = vantageContext(context);
  const [last] = await store.probes.failures(account.name, fault.subject);
  if (!last) return {};
  const { url, phase, cause, code, requestId } = last;
  return { url, phase, cause, code, requestId };
};
