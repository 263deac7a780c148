// What the store says of the proxy tests, as samples.

import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import { shown } from '../../store/counter.ts';
import { CALL_RESULTS, type Fault, RESPONSE_TIME_BOUNDS_MS, type TestCell } from '../../store/test-store.ts';
import type { ReadContext } from '../collector.ts';
import { seriesDropped } from '../common-families.ts';
import { families } from './families.ts';
import type { ProxyTestOptions } from './options.ts';
import { plannedCycleMs, remainingRuns } from './planner.ts';
import { type Round, roundOf } from './round.ts';
import { cellsOf, urlsOf } from './targets.ts';
import type { TestedProxy } from './tested-proxies.ts';

type Cell = TestCell & Pick<TestedProxy, 'protocol'>;
type Context = ReadContext<ProxyTestOptions>;

export const exposeTests = async (context: Context, sink: SampleSink): Promise<void> => {
  const { account, options, store, clock } = context;
  const round = await roundOf(context);
  const storedAt = await store.tests.storedAt(account.name);
  const cells = await cellsOf(context);
  const isMatrix = options.series === 'matrix' && cells.length <= options.max_series;
  if (isMatrix) for (const cell of cells) exposeCell(cell, storedAt, sink);
  else
    for (const [proxy, own] of Map.groupBy(cells, (cell) => cell.proxy))
      exposeProxy(proxy, own, storedAt, sink);
  await sink.drain();
  const folded = options.series === 'matrix' && !isMatrix ? cells.length : 0;
  sink.sample(seriesDropped, { collector: 'proxy_tests' }, folded);
  exposeProxies(round, cells, options, sink);
  exposeFaults(round, cells, await store.tests.faults(account.name), context, sink);
  await exposeTotals(context, round, cells, storedAt, sink);
  sink.sample(families.budgetRemaining, {}, remainingRuns(round.budget, round.spent, clock.now()));
  if (round.proxies.length > 0) {
    sink.sample(families.cycle, {}, plannedCycleMs(round.proxies, round.budget) / SECOND);
  }
};

/** A total since the proxy was first tested, at 0 while its first step is held back. */
const held = (count: number, heldUntil: number, storedAt: number | null): number =>
  shown({ net: count, served: count, heldUntil }, storedAt).value;

const exposeCell = (cell: Cell, storedAt: number | null, sink: SampleSink): void => {
  const { proxy, url, tester, protocol, responseTimeMs } = cell;
  const labels = { proxy_id: proxy, url, tester_server: tester, protocol };
  sink.sample(families.success, labels, Number(cell.isSuccessful));
  sink.sample(families.lastResponseTime, labels, responseTimeMs === null ? null : responseTimeMs / SECOND);
  sink.sample(families.results, labels, held(cell.results, cell.heldUntil, storedAt));
  sink.sample(families.successes, labels, held(cell.successes, cell.heldUntil, storedAt));
};

/** One series a proxy: successful only if all its tests were, as slow as the slowest. */
const exposeProxy = (
  proxy: string,
  cells: readonly Cell[],
  storedAt: number | null,
  sink: SampleSink,
): void => {
  const labels = { proxy_id: proxy, url: '', tester_server: '', protocol: cells[0]?.protocol ?? '' };
  const times = cells.flatMap(({ responseTimeMs }) => responseTimeMs ?? []);
  const total = (of: 'results' | 'successes'): number =>
    cells.reduce((sum, cell) => sum + held(cell[of], cell.heldUntil, storedAt), 0);
  sink.sample(families.success, labels, Number(cells.every(({ isSuccessful }) => isSuccessful)));
  sink.sample(families.lastResponseTime, labels, times.length === 0 ? null : Math.max(...times) / SECOND);
  sink.sample(families.results, labels, total('results'));
  sink.sample(families.successes, labels, total('successes'));
};

const exposeProxies = (
  { proxies }: Round,
  cells: readonly Cell[],
  { fault_after }: ProxyTestOptions,
  sink: SampleSink,
): void => {
  const newest = new Map<string, number>();
  for (const { proxy, at } of cells) newest.set(proxy, Math.max(at, newest.get(proxy) ?? 0));
  for (const proxy of proxies) {
    sink.sample(families.info, infoOf(proxy), 1);
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

const infoOf = ({ id, name, productType, protocol, facts }: TestedProxy) => ({
  proxy_id: id,
  name,
  product_type: productType,
  protocol,
  status: facts?.status ?? '',
  ip_address: facts?.address ?? '',
  country_id: facts?.countryId ?? '',
  city_name: facts?.cityName ?? '',
  asn_id: facts?.asnId ?? '',
  asn_name: facts?.asnName ?? '',
  subnet_id: facts?.subnetId ?? '',
  service_id: facts?.serviceId ?? '',
});

/** Every subject that could be to blame has its series from the start, so that a fault is a change. */
const exposeFaults = (
  { proxies }: Round,
  cells: readonly Cell[],
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

const testersOf = ({ tester_servers }: ProxyTestOptions, cells: readonly Cell[]): Set<string> =>
  new Set([...tester_servers, ...cells.map(({ tester }) => tester)]);

const exposeTotals = async (
  { account, options, store }: Context,
  { proxies }: Round,
  cells: readonly Cell[],
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
    sink.sample(families.runs, { result }, shown(calls[result], storedAt).value);
  for (const { proxy, errorSource, count, heldUntil } of await store.tests.failures(account.name)) {
    if (!ids.has(proxy)) continue;
    sink.sample(
      families.failures,
      { proxy_id: proxy, error_source: errorSource },
      held(count, heldUntil, storedAt),
    );
  }
  for (const error of (await store.tests.errors(account.name)).filter(isTested)) {
    const { url, tester, errorSource, errorCode, count, heldUntil } = error;
    const labels = { url, tester_server: tester, error_source: errorSource, error_code: errorCode };
    sink.sample(families.errors, labels, held(count, heldUntil, storedAt));
  }
  for (const times of (await store.tests.responseTimes(account.name)).filter(isTested)) {
    const { url, tester, counts, sumMs, count, heldUntil } = times;
    const of = (value: number): number => held(value, heldUntil, storedAt);
    sink.histogram(
      families.responseTime,
      { url, tester_server: tester },
      {
        bounds: RESPONSE_TIME_BOUNDS_MS.map((bound) => bound / SECOND),
        counts: counts.map(of),
        sum: of(sumMs) / SECOND,
        count: of(count),
      },
    );
  }
};
