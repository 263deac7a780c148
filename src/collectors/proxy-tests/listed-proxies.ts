// Lists an account's tested proxies with the values to filter and sort by. The rest is read when it is needed.

import { setImmediate } from 'node:timers/promises';
import { DAY } from '../../lib/time.ts';
import type { Uptime } from '../../store/test-history-store.ts';
import type { TestCell } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { endOfHour, type LazyItem, listProxies, type ProxySummary, readUptimeOf } from './summaries.ts';
import { configuredCellFilter, type MatrixOptions } from './targets.ts';

export interface ListedProxy
  extends LazyItem<ProxySummary>,
    Pick<
      ProxySummary,
      'name' | 'productType' | 'host' | 'faultSince' | 'accessFaultSince' | 'lastTestedAt' | 'failing'
    > {
  readonly failingRounds: number;
  /** Whether the proxy has results in the last 30 days. */
  readonly hasResults: boolean;
  /** Reads the uptime of the last 24 hours. */
  readUptime(): Promise<Uptime>;
}

type Context = ReadContext<MatrixOptions>;

/** Of how many proxies the last results are read before other work runs. */
const SLICE_SIZE = 50;

export const listProxiesWithTimes = async (context: Context): Promise<ListedProxy[]> => {
  const { account, clock, options, store } = context;
  const isTested = configuredCellFilter(options);
  const proxies = await listProxies(context);
  const listed: ListedProxy[] = [];
  for (let from = 0; from < proxies.length; from += SLICE_SIZE) {
    const slice = proxies.slice(from, from + SLICE_SIZE);
    const ids = slice.map(({ id }) => id);
    const cells = Map.groupBy(await store.tests.cells(account.name, ids), ({ proxy }) => proxy);
    for (const proxy of slice) {
      const own = cells.get(proxy.id) ?? [];
      const hasResults = areRecent(own, clock.now());
      const tested = own.filter(isTested);
      const [lastTestedAt, failing] = [newestOf(tested), proxy.failingOf(tested)];
      const readUptime = () => readUptimeOf(context, { proxy: proxy.id }, DAY);
      listed.push({ ...proxy, hasResults, lastTestedAt, failing, readUptime });
    }
    await setImmediate();
  }
  return listed;
};

/** Returns those of these proxies of which the list has the uptime of this context. */
export const withResults = async (
  { account, clock, store }: Pick<Context, 'account' | 'clock' | 'store'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const cells = Map.groupBy(await store.tests.cells(account.name, ids), ({ proxy }) => proxy);
  return new Set([...cells].flatMap(([id, own]) => (areRecent(own, clock.now()) ? [id] : [])));
};

const areRecent = (cells: readonly TestCell[], now: number): boolean =>
  (newestOf(cells) ?? 0) >= endOfHour(now) - 30 * DAY;

const newestOf = (cells: readonly TestCell[]): number | null =>
  cells.length === 0 ? null : Math.max(...cells.map(({ at }) => at));
