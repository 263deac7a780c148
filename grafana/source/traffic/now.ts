// Builds the Traffic dashboard's first row: current numbers, and a note about the two kinds of panels.

import { PanelBuilder as TextBuilder, TextMode } from '@grafana/grafana-foundation-sdk/text';
import { ACCOUNT_SELECTOR, errorRatio } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';

const NOTE = `**Now or how much?** *Newest bucket* panels show the newest complete bucket as it is. Volumes are growth
of counters: after downtime all that was missed comes at once, in the hour in which it was caught up with, and
corrections come late. Read volumes over long ranges. What the provider took back stands under *Withheld*:
truth = counter − withheld.`;

const note = new TextBuilder()
  .title('How to read this')
  .description('What the two kinds of numbers are good for.')
  .span(24)
  .height(4)
  .mode(TextMode.Markdown)
  .content(NOTE);

export const now = [
  stat({
    title: 'Bytes',
    description: 'In the newest complete bucket.',
    unit: 'decbytes',
    width: 4,
    queries: { bytes: `sum(proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Requests',
    description: 'In the newest complete bucket.',
    unit: 'short',
    width: 4,
    queries: { requests: `sum(proxywatch_traffic_last_bucket_requests{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Failed requests',
    description: 'Failed of all requests, in the newest buckets of a quarter of an hour.',
    unit: 'percentunit',
    width: 4,
    steps: warnAbove(0.1, 0.2),
    noValue: 'no requests',
    queries: { failed: errorRatio('traffic', ACCOUNT_SELECTOR, '') },
  }),
  stat({
    title: 'Highest concurrency',
    description:
      'In the newest complete bucket, as the provider counts it; of the account that has the most.',
    unit: 'short',
    width: 4,
    queries: { concurrency: `max(proxywatch_traffic_concurrency_max{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Age of the newest bucket',
    description:
      'Since its start, of the account whose data is oldest. The provider is some minutes late itself.',
    unit: 's',
    width: 4,
    queries: { age: `max(time() - proxywatch_traffic_last_bucket_timestamp_seconds{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Bytes in the range',
    description: 'Growth of the counters over the time range of the dashboard.',
    unit: 'decbytes',
    width: 4,
    queries: { bytes: `sum(increase(proxywatch_traffic_bytes_total{${ACCOUNT_SELECTOR}}[$__range]))` },
  }),
  note,
];
