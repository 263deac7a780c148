// Defines the metric families of traffic, once for the whole account and once for its configured slices.

import { counter, type Family, gauge } from '../../lib/family.ts';
import type { TrafficCounter } from '../../store/traffic-store.ts';

/** The labels of a slice. A label is empty if the slice does not filter by it. */
export const SLICE_LABELS = ['graph', 'product_type', 'proxy_user_id', 'service_id', 'hostname'] as const;
export type SliceLabel = (typeof SLICE_LABELS)[number];

/** The beginnings of HELP for the values of a bucket. */
export const HELP_STARTS = {
  bytes: 'Number of bytes',
  requests: 'Number of requests',
  successful: 'Number of successful requests',
  failed: 'Number of failed requests',
  smartpathBytes: 'Number of smartpath-routed bytes',
  smartpathRequests: 'Number of smartpath-routed requests',
  smartpathMoneySaved: 'Smartpath savings',
  concurrencyAverage: 'Average concurrency',
  concurrencyMax: 'Highest concurrency',
} as const;

/** The unit of money, as a sentence after a space. */
export const MONEY_NOTE = " The value is in cents of the account's currency.";

export interface HelpSubject {
  /** What the values are of, for example `the whole account`. */
  readonly name: string;
  /** A sentence about the sums of these series, after a space; empty if there is none. */
  readonly note: string;
}

export const WHOLE_ACCOUNT: HelpSubject = { name: 'the whole account', note: '' };
export const SLICE: HelpSubject = {
  name: 'a configured slice',
  note: ' Slices overlap, so never sum over the label graph.',
};

const familiesOf = <L extends string>(
  prefix: (group: 'traffic' | 'smartpath') => string,
  { name: subject, note }: HelpSubject,
  labels: readonly L[],
) => {
  const traffic = prefix('traffic');
  const smartpath = prefix('smartpath');
  const source = 'polled from analytics/graph.';
  const total = (name: string, text: string, unitNote = '') =>
    counter(name, `${text} of ${subject} since the baseline, ${source}${unitNote}${note}`, labels);
  const newest = (name: string, text: string) =>
    gauge(name, `${text} of ${subject} in its newest complete bucket, ${source}${note}`, labels);
  const recent = (name: string, text: string) =>
    gauge(
      name,
      `${text} of ${subject} in the 15 minutes that end with the newest bucket with traffic, ${source} If buckets are hourly, the value is for the newest bucket with traffic. The value is 0 if the newest bucket with traffic is older than the period that traffic.reread sets. The series is missing if proxywatch has not read the whole period.${note}`,
      labels,
    );
  const expected = (name: string, text: string) =>
    gauge(
      name,
      `${text} of ${subject} in the newest period, ${source} The setting expect.within sets the length of the period. The series is missing if expect is not set, if a part of the period lies outside the hours in expect.hours, or if proxywatch has not read the whole period.${note}`,
      labels,
    );
  const withheld = (name: string, unit: string) =>
    gauge(
      name,
      `Number of ${unit} of ${subject} that the counter contains although the provider has corrected them downward. The true total is the counter minus this value. The value is below 0 only while a new counter still shows 0.${note}`,
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
      smartpathMoneySaved: total(
        `${smartpath}money_saved_total`,
        HELP_STARTS.smartpathMoneySaved,
        MONEY_NOTE,
      ),
    } satisfies Record<TrafficCounter, Family<L>>,
    lastBytes: newest(`${traffic}last_bucket_bytes`, HELP_STARTS.bytes),
    lastRequests: newest(`${traffic}last_bucket_requests`, HELP_STARTS.requests),
    lastFailedRequests: newest(`${traffic}last_bucket_failed_requests`, HELP_STARTS.failed),
    lastTimestamp: gauge(
      `${traffic}last_bucket_timestamp_seconds`,
      `Start of the newest complete bucket of ${subject}, in seconds since the epoch, ${source}${note}`,
      labels,
    ),
    recentRequests: recent(`${traffic}recent_requests`, HELP_STARTS.requests),
    recentFailedRequests: recent(`${traffic}recent_failed_requests`, HELP_STARTS.failed),
    observedRequests: expected(`${traffic}observed_requests`, HELP_STARTS.requests),
    expectedRequests: expected(
      `${traffic}expected_requests`,
      'Lowest number of requests that you expect (expect.min_requests)',
    ),
    concurrencyAverage: newest(`${traffic}concurrency_average`, HELP_STARTS.concurrencyAverage),
    concurrencyMax: newest(`${traffic}concurrency_max`, HELP_STARTS.concurrencyMax),
    withheldBytes: withheld(`${traffic}withheld_bytes`, 'bytes'),
    withheldRequests: withheld(`${traffic}withheld_requests`, 'requests'),
    gap: gauge(
      `${traffic}gap_seconds`,
      `Length in seconds of the gap of ${subject}: time that proxywatch has not read, although it has read later traffic. proxywatch still tries to read the gap. The value is 0 without a gap.${note}`,
      labels,
    ),
  };
};

export type TrafficFamilies<L extends string> = Readonly<ReturnType<typeof familiesOf<L>>>;

export const ACCOUNT_FAMILIES = familiesOf<never>((group) => `proxywatch_${group}_`, WHOLE_ACCOUNT, []);

export const SLICE_FAMILIES = familiesOf<SliceLabel>(
  (group) => (group === 'traffic' ? 'proxywatch_graph_' : 'proxywatch_graph_smartpath_'),
  SLICE,
  SLICE_LABELS,
);

export const LATENESS = gauge<never>(
  'proxywatch_traffic_lateness_seconds',
  'Time in seconds for which analytics/graph has shown no traffic, if the data is late and the traffic has not paused. The value is 0 if no data is late. The value is below 0 if the newest bucket lies in the future.',
  [],
);

export const listOf = (families: TrafficFamilies<string>): Family[] => {
  const { counters, ...gauges } = families;
  return [...Object.values(counters), ...Object.values(gauges)];
};
