// GET /api/v1/graphs and /api/v1/accounts/{account}/traffic: which traffic is read, and the history of one graph.

import { z } from 'zod';
import type { ComparedGraph } from '../../collectors/collector.ts';
import {
  chosenStep,
  MAX_POINTS,
  pointsOf,
  STEPS,
  type Step,
  stepMsOf,
  totalsOf,
} from '../../collectors/traffic/points.ts';
import { bucketEnd, bucketStart, DAY, MINUTE, SECOND } from '../../lib/time.ts';
import type { Graph, HistoryBucket } from '../../store/traffic-store.ts';
import { rfc3339 } from '../rfc3339.ts';
import type { AccountView } from '../view.ts';
import { account, amount, count, text, time } from './fields.ts';
import { listRoute, whileOn } from './list-route.ts';
import { ofItems } from './page.ts';
import * as parameters from './parameters.ts';
import { accountWith, partsOf, Refusal, route } from './route.ts';

const values = {
  bytes: count.nullable(),
  requests: count.nullable(),
  successful_requests: count.nullable(),
  failed_requests: count.nullable(),
  smartpath_routed_bytes: count.nullable(),
  smartpath_routed_requests: count.nullable(),
  smartpath_money_saved: amount.nullable().describe('In the provider’s unit of money'),
  concurrency_average: amount.nullable(),
  concurrency_max: amount.nullable(),
};

const point = z
  .strictObject({ at: time.describe('Its start'), width_seconds: count, ...values })
  .meta({ id: 'TrafficPoint' });

const identity = {
  account,
  graph: text.describe('The configured name; empty for the whole account'),
  product_type: text.nullable(),
  proxy_user_id: text.nullable(),
  service_id: text.nullable(),
  hostname: text.nullable(),
};

const graph = z
  .strictObject({
    ...identity,
    bucket_seconds: count.nullable(),
    counted_since: time.nullable().describe('When counting began; null before the first complete answer'),
    complete_until: time.nullable().describe('Up to where every bucket has been read'),
    read_at: time.nullable(),
    deep_read_at: time.nullable(),
    last_bucket: point.nullable().describe('The newest that is complete'),
  })
  .meta({ id: 'Graph' });

const traffic = z.strictObject({
  ...identity,
  from: time,
  to: time,
  step: z.enum(STEPS),
  complete_until: time.nullable(),
  totals: z.strictObject(values).describe('Of all points together'),
  data: z.array(point),
});

/** A configured slice, or the whole account, and what the store knows of it. */
interface KnownGraph {
  readonly settings: ComparedGraph;
  readonly stored: Graph | undefined;
  readonly lastBucket: HistoryBucket | undefined;
}

const settingsOf = ({ settings }: AccountView): ComparedGraph[] =>
  settings.traffic ? [{ name: '' }, ...settings.traffic.graphs] : [];

const listGraphs = async (found: AccountView): Promise<KnownGraph[]> => {
  const { store, settings, clock } = found;
  const stored = new Map((await store.traffic.graphs(settings.name)).map((each) => [each.name, each]));
  return Promise.all(
    settingsOf(found).map(async (each) => {
      const graph = stored.get(each.name);
      const last = graph && (await store.traffic.lastBucket(graph.id, clock.now()));
      return { settings: each, stored: graph, lastBucket: last && { ...last, widthMs: graph.bucketMs } };
    }),
  );
};

const identityJson = (account: string, settings: ComparedGraph) => ({
  account,
  graph: settings.name,
  product_type: settings.product_type ?? null,
  proxy_user_id: settings.proxy_user_id ?? null,
  service_id: settings.service_id ?? null,
  hostname: settings.hostname ?? null,
});

const valuesJson = (bucket: Omit<HistoryBucket, 'at' | 'widthMs'>) => ({
  bytes: bucket.bytes,
  requests: bucket.requests,
  successful_requests: bucket.successful,
  failed_requests: bucket.failed,
  smartpath_routed_bytes: bucket.smartpathBytes,
  smartpath_routed_requests: bucket.smartpathRequests,
  smartpath_money_saved: bucket.smartpathMoneySaved,
  concurrency_average: bucket.concurrencyAverage,
  concurrency_max: bucket.concurrencyMax,
});

const pointJson = (bucket: HistoryBucket) => ({
  at: rfc3339(bucket.at),
  width_seconds: bucket.widthMs / SECOND,
  ...valuesJson(bucket),
});

const graphJson = (account: string, { settings, stored, lastBucket }: KnownGraph) => ({
  ...identityJson(account, settings),
  bucket_seconds: stored ? stored.bucketMs / SECOND : null,
  counted_since: rfc3339(stored?.baselinedAt ?? null),
  complete_until: rfc3339(stored?.watermark ?? null),
  read_at: rfc3339(stored?.readAt ?? null),
  deep_read_at: rfc3339(stored?.deepReadAt ?? null),
  last_bucket: lastBucket ? pointJson(lastBucket) : null,
});

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: Step;
}

/** The range asked for, out to boundaries of the step; by default the last 24 hours. */
const rangeOf = (
  asked: { from?: string | undefined; to?: string | undefined; step?: Step | undefined },
  zone: string,
  bucketMs: number,
  now: number,
): Range | Refusal => {
  const to = asked.to === undefined ? now : Date.parse(asked.to);
  const from = asked.from === undefined ? to - DAY : Date.parse(asked.from);
  if (from >= to) return new Refusal(400, 'from: expected a time before to');
  const step = asked.step ?? chosenStep(to - from, bucketMs);
  const stepMs = stepMsOf(step, bucketMs);
  if ((to - from) / stepMs > MAX_POINTS)
    return new Refusal(
      400,
      `step: more than ${MAX_POINTS} points, expected a longer step or a shorter range`,
    );
  // The last instant of the range is the one before its end.
  const end = bucketEnd(zone, bucketStart(zone, to - 1, stepMs), stepMs);
  return { step, from: bucketStart(zone, from, stepMs), to: end };
};

export const TRAFFIC_ROUTES = [
  listRoute({
    path: '/api/v1/graphs',
    summary: 'The graphs of traffic that are read: the whole account, and configured slices, which overlap',
    query: {},
    item: graph,
    revision: partsOf(['traffic'], MINUTE),
    list: (view) => ofItems(whileOn(view, 'traffic', listGraphs), ({ settings }) => settings.name),
    toJson: graphJson,
  }),
  route({
    path: '/api/v1/accounts/{account}/traffic',
    summary: 'The history of one graph',
    query: {
      graph: parameters.word.describe('A configured name; the whole account when it is not given'),
      from: parameters.time.describe('24 hours before `to` when it is not given'),
      to: parameters.time.describe('Exclusive; the present when it is not given'),
      step: parameters
        .oneOf(STEPS)
        .optional()
        .describe(`Width of the points; the finest with at most ${MAX_POINTS} of them when it is not given`),
    },
    answer: traffic,
    revision: partsOf(['traffic'], MINUTE),
    read: async ({ view, query, path: { account: name = '' } }) => {
      const found = accountWith(view, name, 'traffic');
      const settings = found && settingsOf(found).find((each) => each.name === (query.graph ?? ''));
      if (!settings) return new Refusal(404, `graph: "${query.graph ?? ''}" is not known`);
      const { store, clock } = found;
      const stored = (await store.traffic.graphs(name)).find((each) => each.name === settings.name);
      const zone = found.settings.time_zone;
      const bucketMs = stored?.bucketMs ?? MINUTE;
      const range = rangeOf(query, zone, bucketMs, clock.now());
      if (range instanceof Refusal) return range;
      const history = stored ? store.traffic.history(stored.id, range.from, range.to) : [];
      const points = await pointsOf(history, zone, stepMsOf(range.step, bucketMs));
      return {
        ...identityJson(name, settings),
        from: rfc3339(range.from),
        to: rfc3339(range.to),
        step: range.step,
        complete_until: rfc3339(stored?.watermark ?? null),
        totals: valuesJson(totalsOf(points)),
        data: points.map(pointJson),
      };
    },
  }),
];
