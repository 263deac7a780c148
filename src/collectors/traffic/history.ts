// Reads the stored history of traffic bucket by bucket, for exports with timestamps.

import type { Family } from '../../lib/family.ts';
import { DAY } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import { type Graph, publishedSubject, TRAFFIC_COUNTERS } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import { type HistoryRow, type HistorySource, type HistoryStream, historyGauge } from '../history-source.ts';
import {
  ACCOUNT_FAMILIES,
  HELP_STARTS,
  type HelpSubject,
  MONEY_NOTE,
  SLICE,
  SLICE_FAMILIES,
  type TrafficFamilies,
  WHOLE_ACCOUNT,
} from './families.ts';
import { readGraphs } from './newest-traffic.ts';
import { labelsOf, type TrafficOptions } from './options.ts';

/** The counters come first, because corrections have their differences in this order. */
const VALUES = [...TRAFFIC_COUNTERS, 'concurrencyAverage', 'concurrencyMax'] as const;
type Value = (typeof VALUES)[number];

const SOURCE =
  'in each bucket, from the stored history of analytics/graph. Older buckets are an hour or a day long.';

interface LabelledGraph {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}
type GraphsOf = (options: TrafficOptions) => readonly LabelledGraph[];

const wholeAccount: GraphsOf = () => [{ name: '', labels: {} }];

const slices: GraphsOf = ({ graphs }) =>
  graphs.map((graph) => ({ name: graph.name, labels: labelsOf(graph) }));

const sourceOf = (
  live: TrafficFamilies<string>,
  { name: subject, note }: HelpSubject,
  graphsOf: GraphsOf,
): HistorySource<TrafficOptions> => {
  const { counters, concurrencyAverage, concurrencyMax } = live;
  const families: Readonly<Record<Value, Family>> = { ...counters, concurrencyAverage, concurrencyMax };
  const notesOf = (value: Value): string => (value === 'smartpathMoneySaved' ? MONEY_NOTE + note : note);
  return {
    source: 'traffic',
    families: VALUES.map((value) => ({
      family: historyGauge(families[value], `${HELP_STARTS[value]} of ${subject} ${SOURCE}${notesOf(value)}`),
      isSum: value in counters,
    })),
    streams: (context) => streamsOf(context, graphsOf(context.options)),
    read,
  };
};

const streamsOf = async (
  { account, options, store, clock }: ReadContext<TrafficOptions>,
  graphs: readonly LabelledGraph[],
): Promise<HistoryStream[]> => {
  const stored = await readGraphs({ account, store });
  return graphs.flatMap(({ name, labels }) => {
    const graph = stored.get(name);
    if (!graph) return [];
    return [
      { subject: publishedSubject(graph), labels, settledUntil: settledUntil(graph, options, clock.now()) },
    ];
  });
};

/**
 * Buckets settle when they are no longer read at every poll. Those behind a gap wait a day for it, so that downtime
 * causes no corrections.
 */
const settledUntil = (
  { watermark, gaps, bucketMs }: Pick<Graph, 'watermark' | 'gaps' | 'bucketMs'>,
  { reread }: TrafficOptions,
  now: number,
): number => {
  const young = gaps.filter(({ to }) => to > now - DAY).map(({ from }) => from);
  return Math.min(watermark ?? 0, now - reread, ...young) - bucketMs + 1;
};

async function* read(
  { account, store }: ReadContext<TrafficOptions>,
  { subject }: HistoryStream,
  { from, to }: Range,
): AsyncGenerator<HistoryRow> {
  const graph = (await store.traffic.graphs(account.name)).find((each) => publishedSubject(each) === subject);
  if (!graph) return;
  for await (const bucket of store.traffic.history(graph.id, from, to))
    yield { at: bucket.at, end: bucket.at + bucket.widthMs, values: VALUES.map((value) => bucket[value]) };
}

export const trafficHistory: readonly HistorySource<TrafficOptions>[] = [
  sourceOf(ACCOUNT_FAMILIES, WHOLE_ACCOUNT, wholeAccount),
  sourceOf(SLICE_FAMILIES, SLICE, slices),
];
