// Exposes the totals over all proxies as samples: calls, failures, errors and response times.

import type { SampleSink } from '../../lib/family.ts';
import { shownCounter } from '../../store/counter.ts';
import { CALL_RESULTS } from '../../store/test-store.ts';
import type { ReadContext } from '../context.ts';
import { exposedTotal, exposeUrlTotals } from '../expose-results.ts';
import { families } from './families.ts';
import type { ProxyTestOptions } from './options.ts';
import type { PlannerInput } from './planner-input.ts';
import { type MatrixCell, urlsOf } from './targets.ts';

/** The configured testers or, if none is configured, those of the cells. */
export const testersOf = ({ tester_servers }: ProxyTestOptions, cells: readonly MatrixCell[]): Set<string> =>
  new Set([...tester_servers, ...cells.map(({ tester }) => tester)]);

export const exposeTotals = async (
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
    sink.sample(families.runs, { result }, shownCounter(calls[result], storedAt).value);
  for (const { proxy, errorSource, count, heldUntil } of await store.tests.failures(account.name)) {
    if (!ids.has(proxy)) continue;
    sink.sample(
      families.failures,
      { proxy_id: proxy, error_source: errorSource },
      exposedTotal(count, heldUntil, storedAt),
    );
  }
  await exposeUrlTotals(store, account.name, isTested, storedAt, sink);
};
