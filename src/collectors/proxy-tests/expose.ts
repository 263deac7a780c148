// Defines the metric families of the proxy tests, and exposes the stored tests as samples.

import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import { shownCounter } from '../../store/counter.ts';
import { CALL_RESULTS, type Fault } from '../../store/test-store.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext } from '../context.ts';
import {
  exposeCell,
  exposedTotal,
  exposeFaults,
  exposeUrlTotals,
  resultFamilies,
} from '../expose-results.ts';
import { counters, gauges, sampleAll } from '../families.ts';
import { isOfProxy } from '../faults/causes.ts';
import { hasFailed } from '../faults/proxy-round.ts';
import { exposeProxyInfo, proxyInfo } from '../proxy-info.ts';
import { readCurrentFaults } from './current-findings.ts';
import { countFleetByType, newestTimes, readInconclusive, readWaitingSince } from './fleet.ts';
import type { ProxyTestOptions } from './options.ts';
import { plannedCycleMs, usableRuns } from './planner.ts';
import { type PlannerInput, readPlannerInput } from './planner-input.ts';
import { isExhausted, readSteadySince } from './staleness.ts';
import { configuredCellFilter, type MatrixCell, readAllCells, urlsOf } from './targets.ts';

const SOURCE = 'from proxy_test_run/create.';

export const families = {
  success: resultFamilies.success,
  lastResponseTime: resultFamilies.lastResponseTime,
  results: resultFamilies.results,
  successes: resultFamilies.successes,
  ...counters(['proxy_id', 'error_source'], {
    proxywatch_proxy_test_failures_total: `Number of failed test results of the proxy since the first test, by the provider's error source, ${SOURCE}`,
  }),
  errors: resultFamilies.errors,
  responseTime: resultFamilies.responseTime,
  ...gauges(['proxy_id'], {
    proxywatch_proxy_test_last_timestamp_seconds: `Time of the proxy's newest test result, in seconds since the epoch, ${SOURCE}`,
  }),
  ...gauges(['product_type'], {
    proxywatch_proxies_tested: `Number of proxies with a test result, ${SOURCE}`,
    proxywatch_proxies_failing: `Number of proxies that had a failure in each of the last fault_after rounds, regardless of the cause, ${SOURCE} The series is missing before the first test.`,
    proxywatch_proxies_at_fault: `Number of tested proxies that are themselves at fault, ${SOURCE} The series is missing before the first test. The metric proxywatch_fault shows each fault.`,
  }),
  ...counters(['result'], {
    proxywatch_proxy_test_runs_total:
      'Number of test calls that proxywatch sent since the first test, by result: ok or failed.',
  }),
  ...gauges([], {
    proxywatch_proxy_test_budget_remaining:
      'Number of test runs of the run budget (max_runs_per_day) that test calls can still use, as of the last round. The value is 0 if one call costs more than the whole run budget.',
    proxywatch_proxy_test_budget_exhausted:
      'Whether the run budget (max_runs_per_day) has blocked all test calls for longer than planned (1) or not (0), as of the last round. The value is also 1 if one call costs more than the whole run budget.',
    proxywatch_proxy_test_runs_per_call:
      'Expected price of one test call, in test runs. The value is the highest price on the last 3 days with calls to the same targets from the same testers.',
  }),
  ...gauges(['proxy_id'], {
    proxywatch_proxy_test_waiting_since_timestamp_seconds:
      'Time since which the proxy has waited for its first result from the current targets and testers, in seconds since the epoch. The series is missing after the first result.',
  }),
  ...gauges([], {
    proxywatch_proxy_test_steady_since_timestamp_seconds:
      'Time since which proxywatch has made test calls without a longer break than planned, in seconds since the epoch. The time is at most 8 days back.',
    proxywatch_proxy_test_cycle_seconds:
      'Planned time in seconds to test every proxy once within the run budget.',
  }),
  fault: resultFamilies.fault,
  ...gauges(['url'], {
    proxywatch_proxy_tests_inconclusive: `Number of proxies that fail at the target without a known cause, ${SOURCE} Comparisons and error sources do not show what is at fault.`,
  }),
  info: proxyInfo,
} as const;

type Context = ReadContext<ProxyTestOptions>;

export const exposeTests = async (context: Context, sink: SampleSink): Promise<void> => {
  const { account, options, store } = context;
  const input = await readPlannerInput(context);
  const storedAt = await store.tests.storedAt(account.name);
  const stored = await readAllCells(context);
  const isTested = configuredCellFilter(options);
  const cells = stored.filter(isTested);
  const isMatrix = options.series === 'matrix' && cells.length <= options.max_series;
  if (isMatrix) for (const cell of cells) exposeCell(cell, storedAt, sink);
  else
    for (const cellsOfProxy of Map.groupBy(stored, ({ proxy }) => proxy).values())
      exposeProxy(cellsOfProxy, cellsOfProxy.filter(isTested), storedAt, sink);
  await sink.drain();
  const dropped = options.series === 'matrix' && !isMatrix ? cells.length : 0;
  sink.sample(seriesDropped, { collector: 'proxy_tests' }, dropped);
  const faults = await readCurrentFaults(context, input.proxies);
  const newest = newestTimes(cells);
  exposeProxies(input, newest, faults, context, sink);
  for (const [proxy_id, since] of await readWaitingSince(context, input.proxies, newest))
    sink.sample(families.proxywatch_proxy_test_waiting_since_timestamp_seconds, { proxy_id }, since / SECOND);
  for (const [url, count] of await readInconclusive(context))
    sink.sample(families.proxywatch_proxy_tests_inconclusive, { url }, count);
  await exposeTestFaults(input, cells, faults, context, sink);
  await exposeTotals(context, input, cells, storedAt, sink);
  await exposeBudget(context, input, sink);
};

const exposeBudget = async (context: Context, input: PlannerInput, sink: SampleSink): Promise<void> => {
  const { proxies, budget, spent } = input;
  const now = context.clock.now();
  sampleAll(sink, {}, families, {
    proxywatch_proxy_test_budget_remaining: usableRuns(budget, spent, now),
    proxywatch_proxy_test_runs_per_call: budget.runsPerCall,
    proxywatch_proxy_test_budget_exhausted: Number(isExhausted(proxies, budget, spent, now)),
  });
  if (proxies.length === 0) return;
  const steadySince = await readSteadySince(context, input);
  sampleAll(sink, {}, families, {
    proxywatch_proxy_test_cycle_seconds: plannedCycleMs(proxies, budget) / SECOND,
    proxywatch_proxy_test_steady_since_timestamp_seconds: steadySince && steadySince / SECOND,
  });
};

/**
 * Exposes one series for a proxy. It is successful only if all its last tests were, and as slow as the slowest of them.
 * Its totals include urls and testers that are no longer tested, because counters must not fall when those are removed.
 */
const exposeProxy = (
  stored: readonly MatrixCell[],
  cells: readonly MatrixCell[],
  storedAt: number | null,
  sink: SampleSink,
): void => {
  const { proxy = '', protocol = '' } = stored[0] ?? {};
  const labels = { proxy_id: proxy, url: '', tester_server: '', protocol };
  const times = cells.flatMap(({ responseTimeMs }) => responseTimeMs ?? []);
  const total = (counter: 'results' | 'successes'): number =>
    stored.reduce((sum, cell) => sum + exposedTotal(cell[counter], cell.heldUntil, storedAt), 0);
  const isSuccessful = cells.length === 0 ? null : Number(cells.every((cell) => cell.isSuccessful));
  sink.sample(families.success, labels, isSuccessful);
  sink.sample(families.lastResponseTime, labels, times.length === 0 ? null : Math.max(...times) / SECOND);
  sink.sample(families.results, labels, total('results'));
  sink.sample(families.successes, labels, total('successes'));
};

const exposeProxies = (
  { proxies }: PlannerInput,
  newest: ReadonlyMap<string, number>,
  faults: readonly Fault[],
  { account, options: { fault_after } }: Context,
  sink: SampleSink,
): void => {
  const lastTimestamp = families.proxywatch_proxy_test_last_timestamp_seconds;
  const isInfoExposedHere = !account.collectors.includes('inventory');
  for (const proxy of proxies) {
    if (isInfoExposedHere) exposeProxyInfo(proxy, sink);
    const testedAt = newest.get(proxy.id);
    sink.sample(lastTimestamp, { proxy_id: proxy.id }, testedAt && testedAt / SECOND);
  }
  for (const { productType: product_type, tested, atFault } of countFleetByType(proxies, newest, faults)) {
    const failing = proxies.filter(
      ({ id, productType, failingRounds }) =>
        productType === product_type && newest.has(id) && failingRounds >= fault_after,
    );
    sink.sample(families.proxywatch_proxies_tested, { product_type }, tested);
    // Before the first test it is unknown whether any proxy fails, so 0 would be wrong.
    if (tested === 0) continue;
    sampleAll(sink, { product_type }, families, {
      proxywatch_proxies_failing: failing.length,
      proxywatch_proxies_at_fault: atFault,
    });
  }
};

/**
 * Exposes faults, and 0 for each other subject from the start. Refused credentials are rare, so a proxy has a series of
 * `access` only while the store knows a failure of the proxy itself: also for some rounds after such a fault has ended.
 */
const exposeTestFaults = (
  { proxies }: PlannerInput,
  cells: readonly MatrixCell[],
  faults: readonly Fault[],
  { options }: Context,
  sink: SampleSink,
): Promise<void> => {
  const subjects = {
    provider: [''],
    target: urlsOf(options).map(({ label }) => label),
    tester: testersOf(options, cells),
    proxy: proxies.map(({ id }) => id),
    access: cells.filter(hasFailedItself).map(({ proxy }) => proxy),
  };
  return exposeFaults(faults, subjects, '', sink);
};

const hasFailedItself = (cell: MatrixCell): boolean =>
  cell.history !== 0 &&
  Array.from({ length: cell.rounds }).some((_, depth) => hasFailed(cell, depth) && isOfProxy(cell, depth));

/** The configured testers or, if none is configured, those of the cells. */
const testersOf = ({ tester_servers }: ProxyTestOptions, cells: readonly MatrixCell[]): Set<string> =>
  new Set([...tester_servers, ...cells.map(({ tester }) => tester)]);

const exposeTotals = async (
  { account, options, store }: ReadContext<ProxyTestOptions>,
  { proxies }: PlannerInput,
  cells: readonly MatrixCell[],
  storedAt: number | null,
  sink: SampleSink,
): Promise<void> => {
  const ids = new Set(proxies.map(({ id }) => id));
  const urls = new Set(urlsOf(options).map(({ label }) => label));
  const testers = testersOf(options, cells);
  const isTested = ({ url, tester }: { readonly url: string; readonly tester: string }): boolean =>
    urls.has(url) && testers.has(tester);
  const calls = await store.tests.calls(account.name);
  for (const result of CALL_RESULTS)
    sink.sample(
      families.proxywatch_proxy_test_runs_total,
      { result },
      shownCounter(calls[result], storedAt).value,
    );
  for (const { proxy, errorSource, count, heldUntil } of await store.tests.failures(account.name)) {
    if (!ids.has(proxy)) continue;
    sink.sample(
      families.proxywatch_proxy_test_failures_total,
      { proxy_id: proxy, error_source: errorSource },
      exposedTotal(count, heldUntil, storedAt),
    );
  }
  await exposeUrlTotals(store, account.name, isTested, storedAt, sink);
};
