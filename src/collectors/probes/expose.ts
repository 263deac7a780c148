// Defines the metric families of the probes, and exposes the stored probes. Results use the families of the proxy tests.

import type { SampleSink } from '../../lib/family.ts';
import { REFUSAL_CLASSES } from '../../lib/refusal-codes.ts';
import { yieldEvery } from '../../lib/steps.ts';
import type { Depth, Phase } from '../../prober/probe.ts';
import { shownCounter } from '../../store/counter.ts';
import { BYTE_DIRECTIONS } from '../../store/probe-store.ts';
import { RESPONSE_TIME_BOUNDS_MS } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { exposeCell, exposeFaults, exposeUrlTotals, histogramOf } from '../expose-results.ts';
import { counters, gauges, histograms } from '../families.ts';
import { exposeProxyInfo } from '../proxy-info.ts';
import { readTestedProxies, type TestedProxy } from '../proxy-sources/tested-proxies.ts';
import type { MatrixCell } from '../proxy-tests/targets.ts';
import { readByteBudget } from './budget/read-budget.ts';
import { lineDownRoundsOf, readControls } from './controls.ts';
import { readExits, readInconclusive, readProbeCells, readProbeFaults } from './current-state.ts';
import type { ProbeOptions } from './options.ts';
import { exitTargetOf, labelsOf, targetsOf } from './targets.ts';
import { type VantageOptions, vantageContext } from './vantage.ts';

export const families = {
  ...histograms(['url', 'phase'], {
    proxywatch_probe_phase_seconds:
      'Durations of the phases of probes in seconds: resolve, connect, tunnel, tls and response. A phase that failed counts with its duration until the failure.',
  }),
  ...counters(['url', 'direction'], {
    proxywatch_probe_bytes_total:
      'Number of bytes of probes on the raw socket, below TLS, by direction: sent or received. Controls do not count.',
  }),
  ...gauges([], {
    proxywatch_probe_budget_remaining_bytes:
      'Number of bytes of the byte budget (max_bytes_per_day) that probes through residential and mobile proxies can still use, as of the last round.',
  }),
  ...gauges(['url'], {
    proxywatch_probe_control_success:
      'Whether the last control of the URL, which needs no proxy, succeeded (1) or not (0). The series is missing before the first round, and without controls.',
  }),
  ...gauges([], {
    proxywatch_probe_controls_failing_rounds:
      'Number of rounds in a row, with the newest one, in which no control got an answer and no proxy answered. The series is missing before the first round, and without controls.',
  }),
  ...gauges(['url'], {
    proxywatch_probes_inconclusive: 'Number of proxies whose probes of the URL fail for an unknown cause.',
  }),
  ...gauges(['proxy_id'], {
    proxywatch_probe_exit_mismatch:
      'Whether the target saw another address or country than the proxy should have (1) or not (0). The series is missing while the expected or the seen one is unknown.',
  }),
  ...counters(['class'], {
    proxywatch_probe_refusals_total:
      'Number of probes that a proxy refused, by the class of its code, HTTP status or SOCKS5 reply: credentials, options, target, policy, quota, no_node, provider or other. A refusal without a code of the provider counts only if its status or reply has a class.',
  }),
} as const;

/** Ten thousand proxies are exposed in parts, between which other work runs. */
const ITEMS_PER_TURN = 500;

type VantageContext = ReadContext<VantageOptions>;
/** `storedAt` is when results were last stored (ms). */
type ExposeStored = (context: VantageContext, storedAt: number | null, sink: SampleSink) => Promise<void>;

export const exposeProbes = async (context: ReadContext<ProbeOptions>, sink: SampleSink): Promise<void> => {
  const vantage = vantageContext(context);
  const { account, options, store } = vantage;
  const storedAt = await store.tests.storedAt(account.name);
  const labels = new Set(labelsOf(options));
  const isProbed = ({ url, tester }: { readonly url: string; readonly tester: string }): boolean =>
    labels.has(url) && tester === options.vantage;
  const pause = yieldEvery(ITEMS_PER_TURN);
  const cells = await readProbeCells(vantage);
  for (const cell of cells) {
    exposeCell(cell, storedAt, sink);
    await pause();
  }
  await sink.drain();
  await exposeUrlTotals(store, account.name, isProbed, storedAt, sink);
  const proxies = await readTestedProxies(vantage);
  const untested = await readUntested(context, proxies);
  await exposeProbeFaults(vantage, proxies, untested, cells, sink);
  // No other collector exposes their details.
  if (!account.collectors.includes('inventory')) for (const proxy of untested) exposeProxyInfo(proxy, sink);
  await exposeCounters(vantage, storedAt, sink);
  await exposeStates(vantage, proxies, sink);
};

/**
 * Exposes faults. A proxy that the provider's testers test already has a series with 0. It has others, with the vantage,
 * while the store knows a failed probe: before its fault begins, and for some rounds after its fault has ended.
 */
const exposeProbeFaults = async (
  context: VantageContext,
  proxies: readonly TestedProxy[],
  untested: readonly TestedProxy[],
  cells: readonly MatrixCell[],
  sink: SampleSink,
): Promise<void> => {
  const { options } = context;
  const failed = new Set(cells.filter(({ history }) => history !== 0).map(({ proxy }) => proxy));
  const proxy = [...untested.map(({ id }) => id), ...failed];
  const subjects = { provider: [''], target: labelsOf(options), proxy, access: failed };
  await exposeFaults(await readProbeFaults(context, proxies), subjects, options.vantage, sink);
};

const readUntested = async (
  context: ReadContext<ProbeOptions>,
  probed: readonly TestedProxy[],
): Promise<readonly TestedProxy[]> => {
  const { account, options } = context;
  const tests = account.collectors.includes('proxy_tests') && account.proxy_tests;
  if (!tests) return probed;
  if (options.proxies === 'same') return [];
  const tested = await readTestedProxies({ ...context, options: { proxies: tests.proxies } });
  const ids = new Set(tested.map(({ id }) => id));
  return probed.filter(({ id }) => !ids.has(id));
};

const exposeCounters: ExposeStored = async (context, storedAt, sink) => {
  const { account, options, store } = context;
  const exit = exitTargetOf(options);
  const urls = new Set([...labelsOf(options), ...(exit ? [exit.label] : [])]);
  await exposePhases(context, storedAt, sink);
  for (const [url, counters] of await store.probes.bytes(account.name, [...urls]))
    for (const direction of BYTE_DIRECTIONS)
      sink.sample(
        families.proxywatch_probe_bytes_total,
        { url, direction },
        shownCounter(counters[direction], storedAt).value,
      );
  const refusals = await store.probes.refusals(account.name, REFUSAL_CLASSES);
  for (const [name, counter] of Object.entries(refusals))
    sink.sample(
      families.proxywatch_probe_refusals_total,
      { class: name },
      shownCounter(counter, storedAt).value,
    );
};

const NO_PROBES = histogramOf(
  { counts: RESPONSE_TIME_BOUNDS_MS.map(() => 0), sumMs: 0, count: 0, heldUntil: 0 },
  null,
);

const PHASES_OF_DEPTH: Readonly<Record<Depth, readonly Phase[]>> = {
  tunnel: ['connect', 'tunnel'],
  tls: ['connect', 'tunnel', 'tls'],
  http: ['connect', 'tunnel', 'tls', 'response'],
};

/** The phases of each url begin at 0, so that the first round counts as growth. */
const exposePhases: ExposeStored = async ({ account, options, store }, storedAt, sink) => {
  const targets = targetsOf(options);
  const stored = await store.probes.phaseTimes(account.name);
  const counted = new Set(stored.map(({ url, phase }) => `${url} ${phase}`));
  for (const { label: url, target } of targets)
    for (const phase of PHASES_OF_DEPTH[target.depth])
      if (!counted.has(`${url} ${phase}`))
        sink.histogram(families.proxywatch_probe_phase_seconds, { url, phase }, NO_PROBES);
  for (const times of stored.filter(({ url }) => targets.some(({ label }) => label === url))) {
    const { url, phase } = times;
    sink.histogram(families.proxywatch_probe_phase_seconds, { url, phase }, histogramOf(times, storedAt));
  }
};

const exposeStates = async (
  context: VantageContext,
  proxies: readonly TestedProxy[],
  sink: SampleSink,
): Promise<void> => {
  const { remaining } = await readByteBudget(context, { round: 0, proxy: { most: 0, estimate: 0 } });
  sink.sample(families.proxywatch_probe_budget_remaining_bytes, {}, remaining);
  const controls = await readControls(context);
  for (const { url, isSuccessful } of controls)
    sink.sample(families.proxywatch_probe_control_success, { url }, Number(isSuccessful));
  if (controls.length > 0)
    sink.sample(families.proxywatch_probe_controls_failing_rounds, {}, lineDownRoundsOf(controls));
  for (const [url, failing] of await readInconclusive(context, proxies))
    sink.sample(families.proxywatch_probes_inconclusive, { url }, failing);
  for (const { proxy, isMismatch } of await readExits(context, proxies))
    sink.sample(families.proxywatch_probe_exit_mismatch, { proxy_id: proxy }, Number(isMismatch));
};
