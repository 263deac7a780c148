// Serves GET /api/v1/graphs and /api/v1/accounts/{account}/traffic: the graphs that are read, and the history of one.

import { z } from 'zod';
import type { ComparedGraph } from '../../collectors/context.ts';
import {
  finestStep,
  MAX_POINTS,
  pointsOf,
  STEPS,
  type Step,
  stepMsOf,
  totalsOf,
} from '../../collectors/traffic/points.ts';
import { bucketEnd, bucketStart, DAY, MINUTE } from '../../lib/time.ts';
import type { Graph, HistoryBucket } from '../../store/traffic-store.ts';
import type { AccountView } from '../daemon-view.ts';
import { accountItemOf, count, itemOf, orNull, text, time } from './item.ts';
import { shortListRoute } from './list-route.ts';
import * as parameters from './parameters.ts';
import { ApiError, accountWithCollector, revisionOfParts, route } from './route.ts';

type Values = Omit<HistoryBucket, 'at' | 'widthMs'>;

const totals = itemOf<Values>()('TrafficTotals', (from) => ({
  bytes: orNull.count,
  requests: orNull.count,
  successful_requests: from(orNull.count, 'successful'),
  failed_requests: from(orNull.count, 'failed'),
  smartpath_routed_bytes: from(orNull.count, 'smartpathBytes'),
  smartpath_routed_requests: from(orNull.count, 'smartpathRequests'),
  smartpath_money_saved: orNull.amount.describe('Money in cents of the account’s `currency`'),
  concurrency_average: orNull.amount,
  concurrency_max: orNull.amount,
}));

export const { schema: point } = itemOf<HistoryBucket>()('TrafficPoint', () => ({
  at: time.describe('Start of the point'),
  width_seconds: count,
  ...totals.fields,
}));

const { fields: identity } = itemOf<ComparedGraph>()('GraphIdentity', (from) => ({
  graph: from(text.describe('Configured name of the slice, or empty for the whole account'), 'name'),
  product_type: from(orNull.text, 'product_type'),
  proxy_user_id: from(orNull.text, 'proxy_user_id'),
  service_id: from(orNull.text, 'service_id'),
  hostname: orNull.text,
}));

/** Null values, and a graph that was not read yet, are unknown. */
interface ListedGraph extends ComparedGraph, Partial<Omit<Graph, keyof ComparedGraph>> {
  readonly completeUntil: number | null;
  readonly lastBucket: HistoryBucket | undefined;
}

export const { schema: graph, json: graphJson } = accountItemOf<ListedGraph>()('Graph', (from) => ({
  ...identity,
  bucket_seconds: orNull.count,
  counted_since: from(
    orNull.time.describe(
      'Time at which the counters began to count, or null before the first complete answer',
    ),
    'baselinedAt',
  ),
  complete_until: orNull.time.describe(
    'End of the time without missing buckets. If the graph has a gap, the value is the start of the gap',
  ),
  read_at: orNull.time.describe('Time of the last read of the graph'),
  deep_read_at: orNull.time.describe('Time of the last deep reread of the graph'),
  last_bucket: point.nullable().describe('Newest complete bucket'),
}));

interface History extends ComparedGraph, parameters.TimeRange {
  readonly step: Step;
  readonly completeUntil: number | null;
  readonly totals: Values;
  readonly data: readonly HistoryBucket[];
}

export const { schema: traffic, json: trafficJson } = accountItemOf<History>()('Traffic', () => ({
  ...identity,
  from: time,
  to: time,
  step: z.enum(STEPS),
  complete_until: orNull.time,
  totals: totals.schema.describe(
    'Sums of all points. For concurrency, the values are the weighted average and the maximum',
  ),
  data: z.array(point),
}));

/** Up to when every bucket has been read (ms). Newer ones after a gap may have been read too. */
const completeUntil = (stored: Graph | undefined): number | null =>
  stored?.gaps[0]?.from ?? stored?.watermark ?? null;

const settingsOf = ({ settings }: AccountView): ComparedGraph[] =>
  settings.traffic ? [{ name: '' }, ...settings.traffic.graphs] : [];

const listGraphs = async (found: AccountView): Promise<ListedGraph[]> => {
  const { store, settings, clock } = found;
  const stored = new Map((await store.traffic.graphs(settings.name)).map((each) => [each.name, each]));
  return Promise.all(
    settingsOf(found).map(async (each) => {
      const graph = stored.get(each.name);
      const last = graph && (await store.traffic.lastBucket(graph.id, clock.now()));
      const lastBucket = last && { ...last, widthMs: graph.bucketMs };
      return { ...graph, ...each, completeUntil: completeUntil(graph), lastBucket };
    }),
  );
};

/** Returns the requested range, extended to boundaries of the step. Default: the last 24 hours. Throws ApiError. */
const rangeOf = (
  requested: { from?: string | undefined; to?: string | undefined; step?: Step | undefined },
  zone: string,
  bucketMs: number,
  now: number,
) => {
  const { from, to } = parameters.timeRangeOf(requested, now, DAY);
  const step = requested.step ?? finestStep(to - from, bucketMs);
  const stepMs = stepMsOf(step, bucketMs);
  if ((to - from) / stepMs > MAX_POINTS)
    throw new ApiError(
      400,
      `step: expected a longer step or a shorter range, because this makes more than ${MAX_POINTS} points`,
    );
  // The end is exclusive, so the last instant of the range is the one before it.
  const end = bucketEnd(zone, bucketStart(zone, to - 1, stepMs), stepMs);
  return { step, from: bucketStart(zone, from, stepMs), to: end };
};

export const TRAFFIC_ROUTES = [
  shortListRoute({
    path: '/api/v1/graphs',
    collector: 'traffic',
    summary: 'Graphs of traffic: the whole account, and the configured slices. Slices overlap',
    query: {},
    item: graph,
    revision: revisionOfParts(['traffic'], MINUTE),
    items: listGraphs,
    idOf: ({ name }) => name,
    toJson: graphJson,
  }),
  route({
    path: '/api/v1/accounts/{account}/traffic',
    collector: 'traffic',
    summary: 'History of one graph',
    query: {
      graph: parameters.singleText.describe('Configured name of a slice. The default is the whole account'),
      from: parameters.time.describe('Start of the range. The default is 24 hours before `to`'),
      to: parameters.time.describe('End of the range, exclusive. The default is the present time'),
      step: parameters
        .oneOf(STEPS)
        .optional()
        .describe(
          `Width of the points. The default is the finest width that gives at most ${MAX_POINTS} points`,
        ),
    },
    answer: traffic,
    revision: revisionOfParts(['traffic'], MINUTE),
    read: async ({ view, query, path: { account: name = '' } }) => {
      const found = accountWithCollector(view, name, 'traffic');
      const settings = found && settingsOf(found).find((each) => each.name === (query.graph ?? ''));
      if (!settings) throw new ApiError(404, `graph: "${query.graph ?? ''}" is not known`);
      const { store, clock } = found;
      const stored = (await store.traffic.graphs(name)).find((each) => each.name === settings.name);
      const zone = found.settings.time_zone;
      const bucketMs = stored?.bucketMs ?? MINUTE;
      const range = rangeOf(query, zone, bucketMs, clock.now());
      const history = stored ? store.traffic.history(stored.id, range.from, range.to) : [];
      const data = await pointsOf(history, zone, stepMsOf(range.step, bucketMs));
      const known = { completeUntil: completeUntil(stored), totals: totalsOf(data), data };
      return trafficJson(name, { ...settings, ...range, ...known });
    },
  }),
];
