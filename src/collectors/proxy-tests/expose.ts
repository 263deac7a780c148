// What the store says of the proxy tests, as samples.

import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import type { Fault } from '../../store/test-store.ts';
import { seriesDropped } from '../common-families.ts';
import type { ReadContext } from '../context.ts';
import { exposeProxyInfo } from '../proxy-info.ts';
import { isExhausted } from './budget/exhaustion.ts';
import { exposeTotals, held, testersOf } from './expose-totals.ts';
import { families } from './families.ts';
import { fleetByType, newestOf, readInconclusive, standingFaults, waitingSince } from './fleet.ts';
import type { ProxyTestOptions } from './options.ts';
import { plannedCycleMs, usableRuns } from './planner.ts';
import { type Round, roundOf } from './round.ts';
import { readSteadySince } from './staleness.ts';
import { allCells, isTestedBy, type MatrixCell, urlsOf } from './targets.ts';

type Context = ReadContext<ProxyTestOptions>;

export const exposeTests = async (context: Context, sink: SampleSink): Promise<void> => {
  const { account, options, store } = context;
  const round = await roundOf(context);
  const storedAt = await store.tests.storedAt(account.name);
  const stored = await allCells(context);
  const isTested = isTestedBy(options);
  const cells = stored.filter(isTested);
  const isMatrix = options.series === 'matrix' && cells.length <= options.max_series;
  if (isMatrix) for (const cell of cells) exposeCell(cell, storedAt, sink);
  else
    for (const own of Map.groupBy(stored, ({ proxy }) => proxy).values())
      exposeProxy(own, own.filter(isTested), storedAt, sink);
  await sink.drain();
  const folded = options.series === 'matrix' && !isMatrix ? cells.length : 0;
  sink.sample(seriesDropped, { collector: 'proxy_tests' }, folded);
  const faults = await standingFaults(context, round.proxies);
  const newest = newestOf(cells);
  exposeProxies(round, newest, faults, context, sink);
  for (const [proxy_id, since] of await waitingSince(context, round.proxies, newest))
    sink.sample(families.waitingSince, { proxy_id }, since / SECOND);
  for (const [url, count] of await readInconclusive(context))
    sink.sample(families.inconclusive, { url }, count);
  exposeFaults(round, cells, faults, context, sink);
  await exposeTotals(context, round, cells, storedAt, sink);
  await exposeBudget(context, round, sink);
};

const exposeBudget = async (context: Context, round: Round, sink: SampleSink): Promise<void> => {
  const { proxies, budget, spent } = round;
  const now = context.clock.now();
  sink.sample(families.budgetRemaining, {}, usableRuns(budget, spent, now));
  sink.sample(families.runsPerCall, {}, budget.runsPerCall);
  sink.sample(families.budgetExhausted, {}, Number(isExhausted(proxies, budget, spent, now)));
  if (proxies.length === 0) return;
  const steadySince = await readSteadySince(context, round);
  sink.sample(families.cycle, {}, plannedCycleMs(proxies, budget) / SECOND);
  sink.sample(families.steadySince, {}, steadySince && steadySince / SECOND);
};

const exposeCell = (cell: MatrixCell, storedAt: number | null, sink: SampleSink): void => {
  const { proxy, url, tester, protocol, responseTimeMs } = cell;
  const labels = { proxy_id: proxy, url, tester_server: tester, protocol };
  sink.sample(families.success, labels, Number(cell.isSuccessful));
  sink.sample(families.lastResponseTime, labels, responseTimeMs === null ? null : responseTimeMs / SECOND);
  sink.sample(families.results, labels, held(cell.results, cell.heldUntil, storedAt));
  sink.sample(families.successes, labels, held(cell.successes, cell.heldUntil, storedAt));
};

/**
 * One series a proxy: successful only if all its tests were, as slow as the slowest. Its totals are of all that was ever
 * tested: they must not fall when a url or a tester is tested no more.
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
  const total = (of: 'results' | 'successes'): number =>
    stored.reduce((sum, cell) => sum + held(cell[of], cell.heldUntil, storedAt), 0);
  const isSuccessful = cells.length === 0 ? null : Number(cells.every((cell) => cell.isSuccessful));
  sink.sample(families.success, labels, isSuccessful);
  sink.sample(families.lastResponseTime, labels, times.length === 0 ? null : Math.max(...times) / SECOND);
  sink.sample(families.results, labels, total('results'));
  sink.sample(families.successes, labels, total('successes'));
};

const exposeProxies = (
  { proxies }: Round,
  newest: ReadonlyMap<string, number>,
  faults: readonly Fault[],
  { account, options: { fault_after } }: Context,
  sink: SampleSink,
): void => {
  const isInfoOurs = !account.collectors.includes('inventory');
  for (const proxy of proxies) {
    if (isInfoOurs) exposeProxyInfo(proxy, sink);
    const testedAt = newest.get(proxy.id);
    sink.sample(families.lastTimestamp, { proxy_id: proxy.id }, testedAt && testedAt / SECOND);
  }
  for (const { productType: product_type, tested, atFault } of fleetByType(proxies, newest, faults)) {
    const failing = proxies.filter(
      ({ id, productType, failingRounds }) =>
        productType === product_type && newest.has(id) && failingRounds >= fault_after,
    );
    sink.sample(families.tested, { product_type }, tested);
    // Before a test, none that fails is no news.
    if (tested === 0) continue;
    sink.sample(families.failing, { product_type }, failing.length);
    sink.sample(families.atFault, { product_type }, atFault);
  }
};

/** Every subject that could be to blame has its series from the start, so that a fault is a change. */
const exposeFaults = (
  { proxies }: Round,
  cells: readonly MatrixCell[],
  faults: readonly Fault[],
  { options }: Context,
  sink: SampleSink,
): void => {
  const blamed = new Set(faults.map(({ kind, subject }) => `${kind} ${subject}`));
  const nobody = { proxy_id: '', url: '', tester_server: '' };
  const expose = (kind: Fault['kind'], subject: string, labels: Partial<typeof nobody>): void =>
    sink.sample(families.fault, { ...nobody, ...labels, kind }, Number(blamed.has(`${kind} ${subject}`)));
  expose('provider', '', {});
  for (const { label } of urlsOf(options)) expose('target', label, { url: label });
  for (const tester of testersOf(options, cells)) expose('tester', tester, { tester_server: tester });
  for (const { id } of proxies) expose('proxy', id, { proxy_id: id });
};
