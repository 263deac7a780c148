// Decides after a round what is at fault for failing probes, and stores and logs the faults.

import { setImmediate } from 'node:timers/promises';
import { cronOf } from '../../lib/cron.ts';
import { runInTurns, yieldEvery } from '../../lib/steps.ts';
import type { ProbeFailureDetails } from '../../store/probe-store.ts';
import type { RunContext } from '../context.ts';
import type { AttributedFault, Attribution } from '../faults/attribution.ts';
import { changedCauses } from '../faults/failure-causes.ts';
import { withInventory } from '../inventory-evidence.ts';
import { readTestedProxies } from '../proxy-sources/tested-proxies.ts';
import { readCurrentFaults } from '../proxy-tests/current-findings.ts';
import { plannedCycleMs } from '../proxy-tests/planner.ts';
import { readPlannerInput } from '../proxy-tests/planner-input.ts';
import { readProbeCells, readProviderCells } from './cells.ts';
import { readControls } from './controls.ts';
import type { ProbeEvidence } from './evidence.ts';
import { attributeProbes } from './faults/attribute-probes.ts';
import { correctionOf } from './faults/contradicted-tests.ts';
import { probeCauseLookup } from './faults/probe-causes.ts';
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

type Faults = readonly AttributedFault[];

/** Kinds of faults whose subject is a proxy. */
const PROXY_KINDS: ReadonlySet<string> = new Set(['proxy', 'access']);

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
  const keys = new Set(others.map(keyOf));
  return faults.filter((fault) => !keys.has(keyOf(fault)));
};

const keyOf = ({ kind, subject }: AttributedFault): string => `${kind} ${subject}`;

type Group = readonly [AttributedFault, ...AttributedFault[]];

/** Returns the faults of each line. */
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
const lastFailure = async (
  context: Context,
  { kind, subject }: AttributedFault,
): Promise<Partial<ShownFailure>> => {
  if (!PROXY_KINDS.has(kind)) return {};
  const { account, store } = vantageContext(context);
  const [last] = await store.probes.failures(account.name, subject);
  if (!last) return {};
  const { url, phase, cause, code, requestId } = last;
  return { url, phase, cause, code, requestId };
};
