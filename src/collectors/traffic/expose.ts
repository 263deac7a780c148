// What the store says of traffic, as samples.

import type { SampleSink } from '../../lib/family.ts';
import { SECOND } from '../../lib/time.ts';
import { shown } from '../../store/counter.ts';
import { type Bucket, type Graph, TRAFFIC_COUNTERS } from '../../store/traffic-store.ts';
import type { ReadContext } from '../collector.ts';
import { ACCOUNT_FAMILIES, SLICE_FAMILIES, type TrafficFamilies } from './families.ts';
import { graphsOf, labelsOf, type TrafficOptions } from './options.ts';

export const exposeTraffic = async (
  context: ReadContext<TrafficOptions>,
  sink: SampleSink,
): Promise<void> => {
  const { account, options, store } = context;
  const known = new Map((await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]));
  for (const settings of graphsOf(options)) {
    const graph = known.get(settings.name);
    if (!graph) continue;
    if (settings.name === '') await exposeGraph(context, graph, ACCOUNT_FAMILIES, {}, sink);
    else await exposeGraph(context, graph, SLICE_FAMILIES, labelsOf(settings), sink);
  }
};

const exposeGraph = async <L extends string>(
  { store, options }: ReadContext<TrafficOptions>,
  graph: Graph,
  families: TrafficFamilies<L>,
  labels: Record<L, string>,
  sink: SampleSink,
): Promise<void> => {
  const counters = await store.traffic.counters(graph.id);
  for (const name of TRAFFIC_COUNTERS) {
    sink.sample(families.counters[name], labels, shown(counters[name], graph.readAt).value);
  }
  sink.sample(families.withheldBytes, labels, shown(counters.bytes, graph.readAt).withheld);
  sink.sample(families.withheldRequests, labels, shown(counters.requests, graph.readAt).withheld);

  const bucket = await newestComplete(store, graph);
  if (!bucket) return;
  sink.sample(families.lastBytes, labels, bucket.bytes);
  sink.sample(families.lastRequests, labels, bucket.requests);
  sink.sample(families.lastFailedRequests, labels, bucket.failed);
  sink.sample(families.lastTimestamp, labels, bucket.at / SECOND);
  if (!options.concurrency) return;
  sink.sample(families.concurrencyAverage, labels, bucket.concurrencyAverage);
  sink.sample(families.concurrencyMax, labels, bucket.concurrencyMax);
};

/** The newest bucket that had ended when the graph was asked for. */
const newestComplete = async (
  { traffic }: ReadContext<TrafficOptions>['store'],
  { id, watermark }: Graph,
): Promise<Bucket | undefined> => (watermark === null ? undefined : traffic.lastBucket(id, watermark));
