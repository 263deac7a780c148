// Serves GET /api/v1/graphs and /api/v1/accounts/{account}/traffic: the graphs that are read, and the history of one.

import type { ComparedGraph } from '../../../collectors/context.ts';
import {
  finestStep,
  MAX_POINTS,
  pointsOf,
  STEPS,
  type Step,
  stepMsOf,
  totalsOf,
} from '../../../collectors/traffic/points.ts';
import { bucketEnd, bucketStart, DAY, MINUTE } from '../../../lib/time.ts';
import type { AccountView } from '../../daemon-view.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { listRoute, whenEnabled } from '../list-route.ts';
import { fromItems } from '../page.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, revisionOfParts, route } from '../route.ts';
import {
  completeUntil,
  type GraphWithState,
  graph,
  graphJson,
  identityJson,
  pointJson,
  traffic,
  valuesJson,
} from './traffic-json.ts';

const settingsOf = ({ settings }: AccountView): ComparedGraph[] =>
  settings.traffic ? [{ name: '' }, ...settings.traffic.graphs] : [];

const listGraphs = async (found: AccountView): Promise<GraphWithState[]> => {
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

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: Step;
}

/** Returns the requested range, extended to boundaries of the step. Default: the last 24 hours. */
const rangeOf = (
  requested: { from?: string | undefined; to?: string | undefined; step?: Step | undefined },
  zone: string,
  bucketMs: number,
  now: number,
): Range | ApiError => {
  const to = requested.to === undefined ? now : Date.parse(requested.to);
  const from = requested.from === undefined ? to - DAY : Date.parse(requested.from);
  if (from >= to) return new ApiError(400, 'from: expected a time before to');
  const step = requested.step ?? finestStep(to - from, bucketMs);
  const stepMs = stepMsOf(step, bucketMs);
  if ((to - from) / stepMs > MAX_POINTS)
    return new ApiError(
      400,
      `step: expected a longer step or a shorter range, because this makes more than ${MAX_POINTS} points`,
    );
  // The end is exclusive, so the last instant of the range is the one before it.
  const end = bucketEnd(zone, bucketStart(zone, to - 1, stepMs), stepMs);
  return { step, from: bucketStart(zone, from, stepMs), to: end };
};

export const TRAFFIC_ROUTES = [
  listRoute({
    path: '/api/v1/graphs',
    collector: 'traffic',
    summary: 'Graphs of traffic: the whole account, and the configured slices. Slices overlap',
    query: {},
    item: graph,
    revision: revisionOfParts(['traffic'], MINUTE),
    list: (view) => fromItems(whenEnabled(view, 'traffic', listGraphs), ({ settings }) => settings.name),
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
      if (!settings) return new ApiError(404, `graph: "${query.graph ?? ''}" is not known`);
      const { store, clock } = found;
      const stored = (await store.traffic.graphs(name)).find((each) => each.name === settings.name);
      const zone = found.settings.time_zone;
      const bucketMs = stored?.bucketMs ?? MINUTE;
      const range = rangeOf(query, zone, bucketMs, clock.now());
      if (range instanceof ApiError) return range;
      const history = stored ? store.traffic.history(stored.id, range.from, range.to) : [];
      const points = await pointsOf(history, zone, stepMsOf(range.step, bucketMs));
      return {
        ...identityJson(name, settings),
        from: rfc3339(range.from),
        to: rfc3339(range.to),
        step: range.step,
        complete_until: rfc3339(completeUntil(stored)),
        totals: valuesJson(totalsOf(points)),
        data: points.map(pointJson),
      };
    },
  }),
];
