// Builds the Traffic dashboard's first row: current numbers, and a note about the two kinds of panels.

import { PanelBuilder as TextBuilder, TextMode } from '@grafana/grafana-foundation-sdk/text';
import { ACCOUNT_SELECTOR, errorRatio } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';

const NOTE = `Panels about the *newest bucket* show the current traffic. Panels *per hour* show the growth of counters.
After downtime, everything that was missed arrives in one hour, and corrections arrive late, so use them for long
ranges. *Withheld* shows what the provider took back: real traffic = counter − withheld.`;

const note = new TextBuilder()
  .title('Reading guide')
  .description('Explains the difference between the two kinds of panels.')
  .span(24)
  .height(4)
  .mode(TextMode.Markdown)
  .content(NOTE);

export const now = [
  stat({
    title: 'Current bytes',
    description: 'Shows the bytes of the newest complete bucket.',
    unit: 'decbytes',
    width: 4,
    queries: { bytes: `sum(proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Current requests',
    description: 'Shows the number of requests in the newest complete bucket.',
    unit: 'short',
    width: 4,
    queries: { requests: `sum(proxywatch_traffic_last_bucket_requests{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Failed requests',
    description: 'Shows the share of requests that failed, in the newest buckets of 15 minutes.',
    unit: 'percentunit',
    width: 4,
    steps: warnAbove(0.1, 0.2),
    noValue: 'no requests',
    queries: { failed: errorRatio('traffic', ACCOUNT_SELECTOR, '') },
  }),
  stat({
    title: 'Highest concurrency',
    description:
      'Shows the highest number of connections at a time in the newest complete bucket, for the account that has the most.',
    unit: 'short',
    width: 4,
    queries: { concurrency: `max(proxywatch_traffic_concurrency_max{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Age of the newest bucket',
    description:
      'Shows the time since the start of the newest bucket, for the account with the oldest data. The provider publishes some minutes late.',
    unit: 's',
    width: 4,
    queries: { age: `max(time() - proxywatch_traffic_last_bucket_timestamp_seconds{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Bytes in the time range',
    description: 'Shows the growth of the counters in the time range of the dashboard.',
    unit: 'decbytes',
    width: 4,
    queries: { bytes: `sum(increase(proxywatch_traffic_bytes_total{${ACCOUNT_SELECTOR}}[$__range]))` },
  }),
  note,
];
