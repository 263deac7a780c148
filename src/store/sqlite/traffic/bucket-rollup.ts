// Rolls up buckets by hour and by day, and deletes the oldest days.

import { bucketEnd, bucketStart, DAY, HOUR } from '../../../lib/time.ts';
import type { Retention } from '../../store.ts';
import { type GraphIdentity, publishedSubject } from '../../traffic-store.ts';
import type { Database } from '../file/database.ts';
import { createExpiry, DELETED_FROM } from '../publication/publication.ts';
import { SLICE_ROWS, type Slice } from '../slices.ts';

interface GraphRow extends Pick<GraphIdentity, 'name' | 'slice' | 'zone' | 'bucketMs'> {
  readonly id: number;
  readonly accountId: number;
  readonly newest: number | null;
}

/** Start and end (ms) of the buckets that become one. */
interface Span {
  readonly graph: number;
  readonly from: number;
  readonly to: number;
}

type SummedSpan = Span & Record<'width' | 'bucketMs', number>;

const SUMS = `sum(bytes), sum(requests), sum(successful), sum(failed), sum(smartpath_bytes),
  sum(smartpath_requests), sum(smartpath_money_saved)`;

const SAMPLES = `count(bytes) + count(requests) + count(successful) + count(failed) + count(smartpath_bytes)
  + count(smartpath_requests) + count(smartpath_money_saved) + count(concurrency_average) + count(concurrency_max)`;

const RAW = 'FROM bucket WHERE graph_id = @graph AND at >= @from AND at < @to';
const rolledUp = (resolution: string): string =>
  `FROM rolled_up_bucket WHERE graph_id = @graph AND resolution = '${resolution}' AND at >= @from AND at < @to`;
const [HOURLY, DAILY] = [rolledUp('hourly'), rolledUp('daily')];

export const createBucketRollup = (db: Database) => {
  const { sql, prepareValue } = db;
  const expire = createExpiry(db);
  const ids = prepareValue<[], number>('SELECT id FROM graph ORDER BY id');
  const graphById = sql.prepare<[number], GraphRow>(
    `SELECT id, account_id AS accountId, name, slice, zone, bucket_ms AS bucketMs, (SELECT max(at) FROM bucket WHERE graph_id = graph.id) AS newest
     FROM graph WHERE id = ?`,
  );
  const oldestRaw = prepareValue<[number], number | null>('SELECT min(at) FROM bucket WHERE graph_id = ?');
  const oldestHourly = prepareValue<[number], number | null>(
    `SELECT min(at) FROM rolled_up_bucket WHERE graph_id = ? AND resolution = 'hourly'`,
  );
  const rollupEnd = prepareValue<[number, string], number>(`SELECT coalesce(max(at + width_ms), 0) FROM
         (SELECT at, width_ms FROM rolled_up_bucket WHERE graph_id = ? AND resolution = ? ORDER BY at DESC LIMIT 1)`);
  const samplesOf = (rows: string) => prepareValue<Span, number>(`SELECT ${SAMPLES} ${rows}`);
  const sumHour = sql.prepare<SummedSpan>(
    `INSERT INTO rolled_up_bucket SELECT graph_id, 'hourly', @from, @width, ${SUMS},
       avg(concurrency_average), max(concurrency_max), count(concurrency_average) * @bucketMs
     ${RAW}`,
  );
  const sumDay = sql.prepare<SummedSpan>(
    `INSERT INTO rolled_up_bucket SELECT graph_id, 'daily', @from, @width, ${SUMS},
       sum(concurrency_average * concurrency_ms) / sum(concurrency_ms), max(concurrency_max), sum(concurrency_ms)
     ${HOURLY}`,
  );
  // Without a higher floor, a deleted bucket that the provider answers again would count twice, as a new bucket.
  const raiseFloor = sql.prepare<Span>('UPDATE graph SET floor = max(floor, @to) WHERE id = @graph');
  const oldDaysEnd = prepareValue<[number, number], number | null>(
    `SELECT max(at + width_ms) FROM (SELECT at, width_ms FROM rolled_up_bucket
       WHERE graph_id = ? AND resolution = 'daily' AND at + width_ms <= ? ORDER BY at LIMIT ${SLICE_ROWS})`,
  );
  const dailySamples = samplesOf(DAILY);
  const deleteDays = sql.prepare<Span>(`DELETE ${DAILY}`);

  /**
   * Returns the time that ages are measured from: the time of the graph's newest data, or the clock if it is earlier.
   * Otherwise a clock that runs ahead would raise the floor above buckets that are still to come.
   */
  const dataTime = ({ newest, bucketMs }: GraphRow, now: number): number =>
    newest === null ? Number.NEGATIVE_INFINITY : Math.min(now, newest + bucketMs);

  /** Returns the span around `at` on the zone's boundaries. After a change of zone it may begin later, to never overlap. */
  const spanAround = ({ id, zone }: GraphRow, at: number, width: number, resolution: string): Span => {
    const start = bucketStart(zone, at, width);
    const to = bucketEnd(zone, start, width);
    return { graph: id, from: Math.max(start, rollupEnd.get(id, resolution) ?? 0), to };
  };

  const expireIn = (graph: GraphRow, span: Span, samples: typeof dailySamples): void =>
    expire(
      { ...graph, source: 'traffic', subject: publishedSubject(graph) },
      span,
      (from) => samples.get({ ...span, from }) ?? 0,
    );

  const toHourly = {
    ...{ width: HOUR, resolution: 'hourly', oldest: oldestRaw },
    ...{ samples: samplesOf(RAW), sum: sumHour, remove: sql.prepare<Span>(`DELETE ${RAW}`) },
  };
  const toDaily = {
    ...{ width: DAY, resolution: 'daily', oldest: oldestHourly },
    ...{ samples: samplesOf(HOURLY), sum: sumDay, remove: sql.prepare<Span>(`DELETE ${HOURLY}`) },
  };
  const rollUp = (graph: GraphRow, step: typeof toHourly | typeof toDaily, until: number): number => {
    let rows = 0;
    while (rows < SLICE_ROWS) {
      const oldest = step.oldest.get(graph.id);
      if (oldest == null) break;
      const span = spanAround(graph, oldest, step.width, step.resolution);
      if (span.to > until) break;
      expireIn(graph, span, step.samples);
      step.sum.run({ ...span, width: span.to - span.from, bucketMs: graph.bucketMs });
      rows += step.remove.run(span).changes;
      raiseFloor.run(span);
    }
    return rows;
  };
  /** Hours become a day only when none of their day's buckets is left as polled. */
  const rollUpHourly = (graph: GraphRow, until: number): number =>
    rollUp(graph, toDaily, Math.min(until, oldestRaw.get(graph.id) ?? until));

  const deleteOldDays = (graph: GraphRow, until: number): number => {
    const to = oldDaysEnd.get(graph.id, until);
    if (to == null) return 0;
    const span = { graph: graph.id, from: DELETED_FROM, to };
    expireIn(graph, span, dailySamples);
    return deleteDays.run(span).changes;
  };

  return {
    /** Returns the ids of all graphs. Must run inside a transaction, like all slices. */
    graphs: (): number[] => ids.all(),
    slices: (id: number, { rawMs, hourlyMs, dailyMs }: Retention, now: number): Slice[] => {
      const unlessDeleted = (work: (graph: GraphRow, time: number) => number) => (): number => {
        const graph = graphById.get(id);
        return graph ? work(graph, dataTime(graph, now)) : 0;
      };
      return [
        unlessDeleted((graph, time) => rollUp(graph, toHourly, time - rawMs)),
        unlessDeleted((graph, time) => rollUpHourly(graph, time - hourlyMs)),
        unlessDeleted((graph, time) => deleteOldDays(graph, time - dailyMs)),
      ];
    },
  };
};
