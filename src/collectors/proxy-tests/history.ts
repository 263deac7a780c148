// Reads the stored sums of the provider's test results hour by hour, for exports with timestamps.

import { gauge } from '../../lib/family.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import type { ReadContext } from '../context.ts';
import type { HistoryFamily, HistoryRow, HistorySource, HistoryStream } from '../history-source.ts';
import type { ProxyTestOptions } from './options.ts';
import { listTesters } from './summaries.ts';
import { urlsOf } from './targets.ts';
import { HISTORY_SPANS, readPoints } from './uptime-history.ts';

type Context = ReadContext<ProxyTestOptions>;
type Kind = 'target' | 'tester';

/** Results are stored with the time at which they are stored, so an hour that is over gets no more of them. */
const SETTLED_AFTER_MS = 10 * MINUTE;

const SOURCE =
  'in each hour, from the stored sums of proxy_test_run/create. The store has the hours of the last 31 days.';

/** The values of a row have this order. */
const familiesOf = (kind: Kind, label: string): readonly HistoryFamily[] =>
  (['results', 'failures'] as const).map((what) => ({
    isSum: true,
    family: gauge(
      `proxywatch_history_${kind}_test_${what}`,
      `Number of ${what === 'results' ? 'test results' : 'failed test results'} of the ${kind} ${SOURCE}`,
      [label],
    ),
  }));

const sourceOf = (
  kind: Kind,
  label: string,
  idsOf: (context: Context) => Promise<readonly string[]>,
): HistorySource<ProxyTestOptions> => ({
  source: 'tests',
  families: familiesOf(kind, label),
  streams: async (context) => {
    const settledUntil = Math.floor((context.clock.now() - SETTLED_AFTER_MS) / HOUR) * HOUR;
    const ids = await idsOf(context);
    return ids.map((id) => ({ subject: `${kind} ${id}`, labels: { [label]: id }, settledUntil }));
  },
  read: (context, stream, range) => read(context, kind, stream, range),
  storedSince,
});

const storedSince = (now: number): number => now - HISTORY_SPANS.hour + HOUR;

/** An hour without results has no row, because the store does not know hours in which nothing was tested. */
async function* read(
  context: Context,
  kind: Kind,
  { labels }: HistoryStream,
  { from, to }: Range,
): AsyncGenerator<HistoryRow> {
  const [id = ''] = Object.values(labels);
  const since = Math.ceil(Math.max(from, storedSince(context.clock.now())) / HOUR) * HOUR;
  const until = Math.min(Math.ceil(to / HOUR) * HOUR, context.clock.now());
  const hours = await readPoints(context, kind, id, { step: 'hour', from: since, to: until });
  for (const { at, results, successes } of hours)
    if (results > 0) yield { at, end: at + HOUR, values: [results, results - successes] };
}

export const testHistory: readonly HistorySource<ProxyTestOptions>[] = [
  sourceOf('target', 'url', async ({ options }) => urlsOf(options).map(({ label }) => label)),
  sourceOf('tester', 'tester_server', async (context) => (await listTesters(context)).map(({ id }) => id)),
];
