// Tests the dashboard Billing history and its recording rules on real engines, with months of 28 to 31 days.

import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { interpolate, queriesOf, readDashboards } from '../../grafana/dashboard-files.ts';
import { describeWith } from '../with-programs.ts';
import { FIRST, LEAP_YEAR, pushHistory, sumBetween } from './billing-history.ts';
import { type Engine, startPrometheus, startVictoriaMetrics } from './engines.ts';

const TRAFFIC = 'proxywatch_history_traffic_bytes';
const LEDGER = 'proxywatch_history_residential_ledger_used_bytes';
const RULES: readonly { record: string; expr: string }[] = parse(
  readFileSync('prometheus/history-rules/proxywatch-history.yml', 'utf8'),
).groups[0].rules;
const QUERIES = queriesOf(
  readDashboards().find(({ uid }) => uid === 'proxywatch-billing') ?? expect.fail('there is no dashboard'),
).filter(({ location }) => !location.includes('annotations'));

/** Prometheus keeps months in one block here, because it would write thousands of blocks of two hours. */
const LONG_HISTORY = [
  '--web.enable-remote-write-receiver',
  '--storage.tsdb.retention.time=10y',
  '--storage.tsdb.min-block-duration=31d',
  '--storage.tsdb.max-block-duration=1y',
];

const dateOf = (year: number, month: number, day: number, ms = 0): number =>
  Date.UTC(year, month - 1, day) + ms;
/** In February of 29 days, around ends of months of 28 to 31 days, and at the end of a year. */
const TIMES = [
  dateOf(LEAP_YEAR, 2, 29, 10.5 * HOUR),
  dateOf(LEAP_YEAR, 3, 1, 1),
  dateOf(LEAP_YEAR, 3, 29, 5 * HOUR + 1),
  dateOf(LEAP_YEAR, 3, 30, 23 * HOUR),
  dateOf(LEAP_YEAR, 3, 31, DAY - 1_000),
  dateOf(LEAP_YEAR, 5, 31, 12.25 * HOUR),
  dateOf(LEAP_YEAR, 1, 15, 7 * HOUR),
  dateOf(LEAP_YEAR - 1, 12, 31, DAY - 1_000),
  dateOf(LEAP_YEAR - 1, 3, 28, 3 * HOUR),
  dateOf(LEAP_YEAR - 1, 3, 29, 3 * HOUR),
  dateOf(LEAP_YEAR - 1, 3, 1, 30 * 60_000),
  dateOf(LEAP_YEAR - 1, 7, 1, 1),
];

const monthOf = (time: number, change = 0): number => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + change);
};
const floor = (time: number, length: number): number => Math.floor(time / length) * length;
const monthKey = (start: number): string => new Date(start).toISOString().slice(0, 7).replace('-', '');

const monthToDate = (name: string, time: number): number =>
  sumBetween(name, monthOf(time), floor(time, HOUR) + HOUR);

/** The same hour of the same day of the last month, or its end if it has no such day. */
const lastMonthToDate = (name: string, time: number): number => {
  const sameHour = monthOf(time, -1) + (floor(time, HOUR) + HOUR - monthOf(time));
  return sumBetween(name, monthOf(time, -1), Math.min(sameHour, monthOf(time)));
};

/** Sums by the value of a label. A sum of nothing is left out. */
const known = (entries: readonly (readonly [string, number])[]) =>
  Object.fromEntries(entries.filter(([, value]) => value !== 0));

const monthsFrom = (name: string, starts: readonly number[], time: number) =>
  known(
    starts.map((start) => [
      monthKey(start),
      sumBetween(name, start, Math.min(monthOf(start, 1), floor(time, DAY) + DAY)),
    ]),
  );

const expectedOf = (record: string, time: number): Readonly<Record<string, number>> => {
  const [level = '', name = '', what = ''] = record.split(':');
  if (what === 'month_to_date') return known([['', monthToDate(name, time)]]);
  if (what === 'last_month_to_date') return known([['', lastMonthToDate(name, time)]]);
  if (level === 'account_month') return monthsFrom(name, [monthOf(time, -1), monthOf(time)], time);
  const days = Array.from({ length: 8 }, (_, index) => floor(time, DAY) - index * DAY);
  return known(
    days.map((start) => [
      new Date(start).toISOString().slice(0, 10).replaceAll('-', ''),
      sumBetween(name, start, start + DAY),
    ]),
  );
};

const valuesOf = async (engine: Engine, expression: string, time: number) => {
  const found = await engine.vector(expression, time);
  return Object.fromEntries(
    found.map(({ labels, value }) => [labels.month ?? labels.day ?? labels.reason ?? '', value]),
  );
};

const ENGINES = [
  ['Prometheus', () => startPrometheus('60d', LONG_HISTORY)],
  ['VictoriaMetrics', startVictoriaMetrics],
] as const;

describeWith(['prometheus', 'victoria-metrics'], 'Billing history', () => {
  const engines = new Map<string, Engine>();
  beforeAll(async () => {
    const stack = new AsyncDisposableStack();
    for (const [name, start] of ENGINES) {
      const engine = stack.use(await start());
      await pushHistory(engine);
      engines.set(name, engine);
    }
    return () => stack.disposeAsync();
  });
  const engineOf = (name: string): Engine => engines.get(name) ?? expect.fail(`${name} has not started`);

  test.each(ENGINES)('%s computes every recording rule', async (name) => {
    for (const { record, expr } of RULES)
      for (const time of TIMES) {
        const when = `${record} at ${new Date(time).toISOString()}`;
        expect([when, await valuesOf(engineOf(name), expr, time)]).toEqual([when, expectedOf(record, time)]);
      }
  });

  /** Returns the expressions of a panel as Grafana sends them. */
  const expressionsOf = (title: string): string[] =>
    QUERIES.filter(({ location }) => location.startsWith(`proxywatch-billing: ${title} (`)).map(({ expr }) =>
      interpolate(expr, { account: '.*', __interval: '1d' }),
    );

  test.each(ENGINES)('%s answers the panels about months', async (name) => {
    for (const time of TIMES) {
      const panel = async (title: string, index = 0) =>
        valuesOf(engineOf(name), expressionsOf(title)[index] ?? '', time);
      const [toDate, before] = [monthToDate(TRAFFIC, time), lastMonthToDate(TRAFFIC, time)];
      expect(await panel('Month to date')).toEqual({ '': toDate });
      expect(await panel('Last month to the same hour')).toEqual({ '': before });
      expect((await panel('Change'))['']).toBeCloseTo(toDate / before - 1);
      const last = sumBetween(TRAFFIC, monthOf(time, -1), monthOf(time));
      expect(await panel('Last month')).toEqual({ '': last });
      const starts = Array.from({ length: 14 }, (_, index) => monthOf(time, -index));
      const whole = starts.filter((start) => start > time - 400 * DAY && start >= FIRST);
      for (const [index, family] of [TRAFFIC, LEDGER].entries())
        expect(await panel('Months of the last year', index)).toEqual(monthsFrom(family, whole, time));
    }
  });

  test.each(ENGINES)('%s answers the panels about days', async (name) => {
    const [from, to] = [dateOf(LEAP_YEAR, 2, 20), dateOf(LEAP_YEAR, 3, 5)];
    const daily = QUERIES.filter(({ location }) => / by day/.test(location));
    expect(daily).toHaveLength(9);
    for (const { location, expr } of daily) {
      const series = await engineOf(name).range(interpolate(expr, { account: '.*' }), from, to, DAY);
      const sums = new Map<number, number>();
      for (const points of series)
        for (const [at, value] of points) sums.set(at, (sums.get(at) ?? 0) + value);
      const [, family = '', selector = ''] = /(proxywatch_history_\w+)\{([^}]*)\}/.exec(expr) ?? [];
      const kind = selector.includes('revision') ? 'corrections' : 'all';
      for (let midnight = from; midnight <= to; midnight += DAY) {
        const sum = sumBetween(family, midnight, midnight + DAY, kind);
        const when = `${location} on ${new Date(midnight).toISOString()}`;
        expect([when, sums.get(midnight) ?? 0]).toEqual([when, sum]);
      }
    }
  });
});
