// Defines the metric families of traffic, once for the whole account and once for its configured slices.

import { counter, type Family, gauge } from '../../lib/family.ts';
import type { TrafficCounter } from '../../store/traffic-store.ts';

/** The labels of a slice. A label is empty if the slice does not filter by it. */
export const SLICE_LABELS = ['graph', 'product_type', 'proxy_user_id', 'service_id', 'hostname'] as const;
export type SliceLabel = (typeof SLICE_LABELS)[number];

/** The beginnings of HELP for the values of a bucket. */
export const HELP_STARTS = {
  bytes: 'Bytes',
  requests: 'Requests',
  successful: 'Successful requests',
  failed: 'Failed requests',
  smartpathBytes: 'Bytes routed by smartpath',
  smartpathRequests: 'Requests routed by smartpath',
  smartpathMoneySaved: "Money saved by smartpath in the provider's unit (cents by its documentation)",
  concurrencyAverage: 'Average concurrency',
  concurrencyMax: 'Highest concurrency',
} as const;

export interface TrafficFamilies<L extends string> {
  readonly counters: Readonly<Record<TrafficCounter, Family<L>>>;
  readonly lastBytes: Family<L>;
  readonly lastRequests: Family<L>;
  readonly lastFailedRequests: Family<L>;
  readonly lastTimestamp: Family<L>;
  readonly recentRequests: Family<L>;
  readonly recentFailedRequests: Family<L>;
  readonly observedRequests: Family<L>;
  readonly expectedRequests: Family<L>;
  readonly concurrencyAverage: Family<L>;
  readonly concurrencyMax: Family<L>;
  readonly withheldBytes: Family<L>;
  readonly withheldRequests: Family<L>;
  readonly gap: Family<L>;
}

const familiesOf = <L extends string>(
  prefix: (group: 'traffic' | 'smartpath') => string,
  subject: string,
  labels: readonly L[],
): TrafficFamilies<L> => {
  const traffic = prefix('traffic');
  const smartpath = prefix('smartpath');
  const total = (name: string, text: string) =>
    counter(name, `${text} of ${subject} since monitoring began, from analytics/graph, polled.`, labels);
  const newest = (name: string, text: string) =>
    gauge(name, `${text} of the newest complete bucket of ${subject}, from analytics/graph, polled.`, labels);
  const recent = (name: string, text: string) =>
    gauge(
      name,
      `${text} of the newest 15 minutes with traffic (the newest bucket where buckets are hours) of ${subject}, from analytics/graph, polled; 0 where that is older than the reread.`,
      labels,
    );
  const expected = (name: string, text: string) =>
    gauge(
      name,
      `${text}, of ${subject}, from analytics/graph, polled; absent without \`expect\`, and while nothing is expected.`,
      labels,
    );
  const withheld = (name: string, unit: string) =>
    gauge(
      name,
      `${unit} that the provider took back from ${subject} and the counter still shows: counter minus this is the truth. Below 0 only while a new counter's first step is held back.`,
      labels,
    );
  return {
    counters: {
      bytes: total(`${traffic}bytes_total`, HELP_STARTS.bytes),
      requests: total(`${traffic}requests_total`, HELP_STARTS.requests),
      successful: total(`${traffic}successful_requests_total`, HELP_STARTS.successful),
      failed: total(`${traffic}failed_requests_total`, HELP_STARTS.failed),
      smartpathBytes: total(`${smartpath}routed_bytes_total`, HELP_STARTS.smartpathBytes),
      smartpathRequests: total(`${smartpath}routed_requests_total`, HELP_STARTS.smartpathRequests),
      smartpathMoneySaved: total(`${smartpath}money_saved_total`, HELP_STARTS.smartpathMoneySaved),
    },
    lastBytes: newest(`${traffic}last_bucket_bytes`, 'Bytes'),
    lastRequests: newest(`${traffic}last_bucket_requests`, 'Requests'),
    lastFailedRequests: newest(`${traffic}last_bucket_failed_requests`, 'Failed requests'),
    lastTimestamp: newest(`${traffic}last_bucket_timestamp_seconds`, 'Start, in seconds since the epoch,'),
    recentRequests: recent(`${traffic}recent_requests`, 'Requests'),
    recentFailedRequests: recent(`${traffic}recent_failed_requests`, 'Failed requests'),
    observedRequests: expected(
      `${traffic}observed_requests`,
      'Requests in the newest time as long as `within`',
    ),
    expectedRequests: expected(
      `${traffic}expected_requests`,
      'Requests that are expected in that time at the least',
    ),
    concurrencyAverage: newest(`${traffic}concurrency_average`, HELP_STARTS.concurrencyAverage),
    concurrencyMax: newest(`${traffic}concurrency_max`, HELP_STARTS.concurrencyMax),
    withheldBytes: withheld(`${traffic}withheld_bytes`, 'Bytes'),
    withheldRequests: withheld(`${traffic}withheld_requests`, 'Requests'),
    gap: gauge(
      `${traffic}gap_seconds`,
      `Time in seconds of ${subject} that is still unread although later traffic was read, from analytics/graph, polled; 0 without such a gap.`,
      labels,
    ),
  };
};

export const ACCOUNT_FAMILIES = familiesOf<never>((group) => `proxywatch_${group}_`, 'the whole account', []);

export const SLICE_FAMILIES = familiesOf<SliceLabel>(
  (group) => (group === 'traffic' ? 'proxywatch_graph_' : 'proxywatch_graph_smartpath_'),
  'a configured slice (slices overlap: never sum over graph)',
  SLICE_LABELS,
);

/** The lateness of the whole account's traffic. */
export const LATENESS = gauge<never>(
  'proxywatch_traffic_lateness_seconds',
  'For how many seconds traffic has been missing from analytics/graph in a way that is late data rather than a pause; 0 while all is well, below 0 where the newest bucket is yet to begin.',
  [],
);

export const listOf = (families: TrafficFamilies<string>): Family[] => {
  const { counters, ...gauges } = families;
  return [...Object.values(counters), ...Object.values(gauges)];
};
