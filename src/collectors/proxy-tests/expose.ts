// What the store says of the proxy tests, as samples.

import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import type { Fault } from '../../store/test-store.ts';
import type { ReadContext } from '../collector.ts';
import { seriesDropped } from '../common-families.ts';
import { exposeProxyInfo } from '../proxy-info.ts';
import { exposeTotals, held, testersOf } from './expose-totals.ts';
import { families } from './families.ts';
import type { ProxyTestOptions } from './options.ts';
import { plannedCycleMs, remainingRuns } from './planner.ts';
import { type Round, roundOf } from './round.ts';
import { allCells, isTestedBy, type MatrixCell, urlsOf } from './targets.ts';

type Context = ReadContext<ProxyTestOptions>;

export const exposeTests = async (context: Context, sink: SampleSink): Promise<void> => {
  const { account, options, store, clock } = context;
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
  exposeProxies(round, cells, context, sink);
  exposeFaults(round, cells, await store.tests.faults(account.name), context, sink);
  await exposeTotals(context, round, cells, storedAt, sink);
  sink.sample(families.budgetRemaining, {}, remainingRuns(round.budget, round.spent, clock.now()));
  if (round.proxies.length > 0) {
    sink.sample(families.cycle, {}, plannedCycleMs(round.proxies, round.budget) / SECOND);
  }
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
  cells: readonly MatrixCell[],
  { account, options: { fault_after } }: Context,
  sink: SampleSink,
): void => {
  const isInfoOurs = !account.collectors.includes('inventory');
  const newest = new Map<string, number>();
  for (const { proxy, at } of cells) newest.set(proxy, Math.max(at, newest.get(proxy) ?? 0));
  for (const proxy of proxies) {
    if (isInfoOurs) exposeProxyInfo(proxy, sink);
    const testedAt = newest.get(proxy.id);
    sink.sample(families.lastTimestamp, { proxy_id: proxy.id }, testedAt && testedAt / SECOND);
  }
  for (const [product_type, own] of Map.groupBy(proxies, ({ productType }) => productType)) {
    const tested = own.filter(({ id }) => newest.has(id));
    sink.sample(families.tested, { product_type }, tested.length);
    sink.sample(
      families.failing,
      { product_type },
      tested.filter((proxy) => proxy.failingRounds >= fault_after).length,
    );
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
