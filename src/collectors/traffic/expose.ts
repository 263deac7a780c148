// Exposes traffic from the store as samples.

import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import { shownCounter } from '../../store/counter.ts';
import { totalLengthMs } from '../../store/gap.ts';
import { type Bucket, type Graph, TRAFFIC_COUNTERS } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import { ACCOUNT_FAMILIES, LATENESS, SLICE_FAMILIES, type TrafficFamilies } from './families.ts';
import { lateness, observedRequests, recentSums, type StoredGraph, storedGraphs } from './newest-traffic.ts';
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
