// Builds the Traffic dashboard's first row: current numbers, and a note about the two kinds of panels.

import { PanelBuilder as TextBuilder, TextMode } from '@grafana/grafana-foundation-sdk/text';
import { ACCOUNT_SELECTOR, errorRatio } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';

const NOTE = `Panels about the *newest bucket* show the current traffic. Panels *per hour* show the growth of counters.
Use panels *per hour* for long time ranges, because these panels include late data. After downtime of the daemon, one
bar contains all traffic of the downtime. *Withheld* traffic is traffic that counters contain although the provider has
corrected the traffic downward. The real traffic is the counter minus the withheld traffic.`;

const note = new TextBuilder()
  .title('Reading guide')
  .description('How to read the panels of this dashboard.')
  .span(24)
  .height(4)
  .mode(TextMode.Markdown)
  .content(NOTE);

export const now = [
  stat({
    title: 'Current bytes',
    description: 'Bytes of the newest complete bucket.',
    unit: 'decbytes',
    width: 8,
    height: 3,
    queries: { bytes: `sum(proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Current requests',
    description: 'Number of requests in the newest complete bucket.',
    unit: 'short',
    width: 8,
    height: 3,
    queries: { requests: `sum(proxywatch_traffic_last_bucket_requests{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Failed requests',
    description: 'Share of failed requests in the newest 15 minutes with traffic.',
    unit: 'percentunit',
    width: 8,
    height: 3,
    steps: warnAbove(0.1, 0.2),
    noValue: 'no requests',
    queries: { failed: errorRatio('traffic', ACCOUNT_SELECTOR, '') },
  }),
  stat({
    title: 'Highest concurrency',
    description:
      'Highest concurrency in the newest complete bucket, as the provider counts it, for the account with the highest value.',
    unit: 'short',
    width: 8,
    height: 3,
    queries: { concurrency: `max(proxywatch_traffic_concurrency_max{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Age of the newest bucket',
    description:
      'Time since the start of the newest bucket, for the account with the oldest data. The provider publishes buckets some minutes late.',
    unit: 's',
    width: 8,
    height: 3,
    queries: { age: `max(time() - proxywatch_traffic_last_bucket_timestamp_seconds{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Bytes in the time range',
    description: 'Transferred bytes in the time range of the dashboard.',
    unit: 'decbytes',
    width: 8,
    height: 3,
    queries: { bytes: `sum(increase(proxywatch_traffic_bytes_total{${ACCOUNT_SELECTOR}}[$__range]))` },
  }),
  note,
];
