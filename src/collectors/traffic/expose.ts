// Exposes traffic from the store as samples, and reads the stored history of traffic bucket by bucket, for exports with timestamps.

import type { Family, SampleSink } from '../../lib/family.ts';
import { DAY, SECOND } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import { shownCounter } from '../../store/counter.ts';
import { totalLengthMs } from '../../store/gap.ts';
import { type Bucket, type Graph, publishedSubject, TRAFFIC_COUNTERS } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import { type HistoryRow, type HistorySource, type HistoryStream, historyGauge } from '../history-source.ts';
import {
  ACCOUNT_FAMILIES,
  HELP_STARTS,
  type HelpSubject,
  LATENESS,
  MONEY_NOTE,
  SLICE,
  SLICE_FAMILIES,
  type TrafficFamilies,
  WHOLE_ACCOUNT,
} from './families.ts';
import {
  lateness,
  observedRequests,
  readGraphs,
  recentSums,
  type StoredGraph,
  storedGraphs,
} from './newest-traffic.ts';
import { labelsOf, type TrafficOptions } from './options.ts';

type Context = ReadContext<TrafficOptions>;

export const exposeTraffic = async (context: Context, sink: SampleSink): Promise<void> => {
  for (const stored of await storedGraphs(context)) {
    const { settings, graph } = stored;
    if (settings.name !== '') {
      await exposeGraph(context, stored, SLICE_FAMILIES, labelsOf(settings), sink);
      continue;
    }
    await exposeGraph(context, stored, ACCOUNT_FAMILIES, {}, sink);
    const lateMs = await lateness(context.store, graph, context.options.reread);
    sink.sample(LATENESS, {}, lateMs === undefined ? undefined : lateMs / SECOND);
  }
};

const exposeGraph = async <L extends string>(
  context: Context,
  stored: StoredGraph,
  families: TrafficFamilies<L>,
  labels: Record<L, string>,
  sink: SampleSink,
): Promise<void> => {
  const { store } = context;
  const { graph } = stored;
  const counters = await store.traffic.counters(graph.id);
  for (const name of TRAFFIC_COUNTERS) {
    sink.sample(families.counters[name], labels, shownCounter(counters[name], graph.readAt).value);
  }
  sink.sample(families.withheldBytes, labels, shownCounter(counters.bytes, graph.readAt).withheld);
  sink.sample(families.withheldRequests, labels, shownCounter(counters.requests, graph.readAt).withheld);
  if (graph.watermark !== null) sink.sample(families.gap, labels, totalLengthMs(graph.gaps) / SECOND);
  await exposeRecent(context, stored, families, labels, sink);
  const bucket = await newestComplete(store, graph);
  if (bucket) exposeBucket(context, bucket, families, labels, sink);
};

const exposeRecent = async <L extends string>(
  context: Context,
  { settings: { expect }, graph, accountGraph }: StoredGraph,
  families: TrafficFamilies<L>,
  labels: Record<L, string>,
  sink: SampleSink,
): Promise<void> => {
  const recent = await recentSums(context.store, graph, context.options.reread);
  sink.sample(families.recentRequests, labels, recent?.requests);
  sink.sample(families.recentFailedRequests, labels, recent?.failed);
  if (!expect) return;
  const observed = await observedRequests(context, expect, graph, accountGraph);
  if (observed === undefined) return;
  sink.sample(families.observedRequests, labels, observed);
  sink.sample(families.expectedRequests, labels, expect.min_requests);
};

const exposeBucket = <L extends string>(
  { options }: Context,
  bucket: Bucket,
  families: TrafficFamilies<L>,
  labels: Record<L, string>,
  sink: SampleSink,
): void => {
  sink.sample(families.lastBytes, labels, bucket.bytes);
  sink.sample(families.lastRequests, labels, bucket.requests);
  sink.sample(families.lastFailedRequests, labels, bucket.failed);
  sink.sample(families.lastTimestamp, labels, bucket.at / SECOND);
  if (!options.concurrency) return;
  sink.sample(families.concurrencyAverage, labels, bucket.concurrencyAverage);
  sink.sample(families.concurrencyMax, labels, bucket.concurrencyMax);
};

/** Returns the newest bucket that had ended when the graph was requested. */
const newestComplete = async (
  { traffic }: Context['store'],
  { id, watermark }: Graph,
): Promise<Bucket | undefined> => (watermark === null ? undefined : traffic.lastBucket(id, watermark));

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

/** Buckets settle when no poll reads them again. Those behind a gap wait a day for it, so downtime causes no corrections. */
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
