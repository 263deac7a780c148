// Totals over all proxies: calls, failures, errors and response times, as samples.

import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import { shown } from '../../store/counter.ts';
import { CALL_RESULTS, RESPONSE_TIME_BOUNDS_MS } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { families } from './families.ts';
import type { ProxyTestOptions } from './options.ts';
import type { Round } from './round.ts';
import { type MatrixCell, urlsOf } from './targets.ts';

/** A total since the proxy was first tested, at 0 while its first step is held back. */
export const held = (count: number, heldUntil: number, storedAt: number | null): number =>
  shown({ net: count, served: count, heldUntil }, storedAt).value;

/** The testers of the configuration; where it names none, those of the cells. */
export const testersOf = ({ tester_servers }: ProxyTestOptions, cells: readonly MatrixCell[]): Set<string> =>
  new Set([...tester_servers, ...cells.map(({ tester }) => tester)]);

export const exposeTotals = async (
  { account, options, store }: ReadContext<ProxyTestOptions>,
  { proxies }: Round,
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
