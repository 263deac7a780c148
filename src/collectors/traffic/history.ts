// Reads the stored history of traffic bucket by bucket, for backfill.

import type { Family } from '../../lib/family.ts';
import type { Range } from '../../provider/time.ts';
import { TRAFFIC_COUNTERS } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import { type HistoryFamily, type HistorySample, historyGauge } from '../history.ts';
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
import { labelsOf, type TrafficOptions } from './options.ts';

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

const historyOf = (
  live: TrafficFamilies<string>,
  { name: subject, note }: HelpSubject,
  graphsOf: GraphsOf,
): HistoryFamily<TrafficOptions>[] => {
  const { counters, concurrencyAverage, concurrencyMax } = live;
  const families: Readonly<Record<Value, Family>> = { ...counters, concurrencyAverage, concurrencyMax };
  const notesOf = (value: Value): string => (value === 'smartpathMoneySaved' ? MONEY_NOTE + note : note);
  return VALUES.map((value) => ({
    family: historyGauge(families[value], `${HELP_STARTS[value]} of ${subject} ${SOURCE}${notesOf(value)}`),
    read: (context, range) => read(context, range, graphsOf(context.options), value),
  }));
};

async function* read(
  { account, store }: ReadContext<TrafficOptions>,
  { from, to }: Range,
  graphs: readonly LabelledGraph[],
  value: Value,
): AsyncGenerator<HistorySample> {
  const ids = new Map((await store.traffic.graphs(account.name)).map(({ name, id }) => [name, id]));
  for (const { name, labels } of graphs) {
    const id = ids.get(name);
    if (id === undefined) continue;
    for await (const bucket of store.traffic.history(id, from, to)) {
      yield { labels, at: bucket.at, value: bucket[value] };
    }
  }
}

export const trafficHistory: readonly HistoryFamily<TrafficOptions>[] = [
  ...historyOf(ACCOUNT_FAMILIES, WHOLE_ACCOUNT, wholeAccount),
  ...historyOf(SLICE_FAMILIES, SLICE, slices),
];
