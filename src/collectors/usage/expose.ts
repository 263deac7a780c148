// Exposes the counters of charged and total use as samples.

import type { SampleSink } from '../../lib/family.ts';
import { shownCounter } from '../../store/counter.ts';
import type { TopKind, UseCounter, UseCounterGroup } from '../../store/log-summary-store.ts';
import type { ReadContext } from '../context.ts';
import { counters, gauges, sampleAll } from '../families.ts';

const SOURCE = 'since the baseline, polled from log_summary/search.';
const OTHERS = 'All that are not among the top ones count as other.';

export const families = {
  ...counters(['product_type'], {
    proxywatch_charged_bytes_total: `Number of bytes that the provider charges ${SOURCE}`,
  }),
  ...gauges(['product_type'], {
    proxywatch_charged_withheld_bytes:
      'Number of bytes that the counter of charged bytes contains although the provider has corrected them downward. The true total is the counter minus this value. The value is below 0 only while a new counter still shows 0.',
  }),
  ...counters(['proxy_user_id', 'product_type'], {
    proxywatch_user_charged_bytes_total: `Number of charged bytes of the proxy user ${SOURCE} ${OTHERS}`,
  }),
  ...counters(['hostname', 'product_type'], {
    proxywatch_hostname_bytes_total: `Number of bytes of the host name ${SOURCE} ${OTHERS}`,
    proxywatch_hostname_charged_bytes_total: `Number of charged bytes of the host name ${SOURCE} ${OTHERS}`,
    proxywatch_hostname_requests_total: `Number of requests to the host name ${SOURCE} ${OTHERS}`,
  }),
} as const;

export const OTHER_NAMES = 'other';
/** What the provider has dropped, or does not say. */
const UNKNOWN_NAME = 'unknown';

export const exposeUsage = async (
  { account, store }: ReadContext<unknown>,
  sink: SampleSink,
): Promise<void> => {
  const { storedAt, groups } = await store.logSummaries.counters(account.name);
  for (const group of groups) exposeGroup(group, storedAt, sink);
};

const exposeGroup = (
  { network: product_type, of, counters: stored }: UseCounterGroup,
  storedAt: number | null,
  sink: SampleSink,
): void => {
  const shown = (name: UseCounter) => stored[name] && shownCounter(stored[name], storedAt);
  const charged = shown('chargedBytes');
  if (of === null) {
    sampleAll(sink, { product_type }, families, {
      proxywatch_charged_bytes_total: charged?.value,
      proxywatch_charged_withheld_bytes: charged?.withheld,
    });
    return;
  }
  const label = of.name === null ? OTHER_NAMES : of.name || UNKNOWN_NAME;
  if (of.kind === 'user')
    sampleAll(sink, { proxy_user_id: label, product_type }, families, {
      proxywatch_user_charged_bytes_total: charged?.value,
    });
  else
    sampleAll(sink, { hostname: label, product_type }, families, {
      proxywatch_hostname_bytes_total: shown('bytes')?.value,
      proxywatch_hostname_charged_bytes_total: charged?.value,
      proxywatch_hostname_requests_total: shown('requests')?.value,
    });
};

export const SERIES_BY_KIND: Readonly<Record<TopKind, number>> = { user: 1, hostname: 3 };
/** The series of a product type. */
export const SERIES_OF_TYPE = 2;
