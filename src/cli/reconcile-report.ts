// Formats the report of proxywatch reconcile: a block for each day, a line for each pair, and the hours that differ.

import type { Comparison } from '../collectors/reconciliation/compare.ts';
import type { Day } from '../collectors/reconciliation/days.ts';
import { comparedBytes, differs } from '../collectors/reconciliation/explain.ts';
import type { Account } from '../daemon/settings.ts';
import { formatLocal } from '../provider/time.ts';

/** Texts for the causes of differences and of missing data. */
const CAUSES: Readonly<Record<string, string>> = {
  no_data: 'no data yet from one or both sides',
  before_history: 'history begins later',
  not_read: 'not read to the end yet',
  late: 'late data: the deep reread is still to come',
  not_listed: 'not listed to the end yet',
  listing_interval: 'seen by a listing at the edge of the day',
  smartpath: 'routed by smartpath, not charged',
};

export const reportOf = (
  { name, time_zone }: Account,
  days: readonly Day[],
  found: readonly Comparison[],
): string[] =>
  days.flatMap(({ date, start }) => {
    const pairs = found.filter(({ dayStart }) => dayStart === start);
    const lines = pairs.flatMap((pair) => linesOf(pair, time_zone));
    return [
      `${name} ${date}`,
      ...(lines.length > 0 ? lines : ['  not monitored: every comparison needs traffic, which is off']),
    ];
  });

export type Outcome = 'ok' | 'unknown' | 'DIFFERS';

/** Missing data makes the outcome unknown, because the sides may agree by chance. */
export const outcomeOf = (pair: Comparison): Outcome => {
  if (pair.missing.length > 0) return 'unknown';
  return differs(pair) ? 'DIFFERS' : 'ok';
};

const linesOf = (pair: Comparison, zone: string): string[] => {
  if (pair.missing.includes('no_data')) return [`  unknown ${pair.pair}: ${CAUSES.no_data}`];

  const { firstBytes, secondBytes, unexplainedBytes, hours } = pair;
  const difference = firstBytes - secondBytes;
  const sides = `${count(firstBytes)} - ${count(secondBytes)} = ${count(difference)} bytes`;
  const explained = pair.explained
    .filter(({ cause }) => !pair.missing.includes(cause))
    .map(({ cause, bytes }) => `${count(bytes)} ${CAUSES[cause] ?? cause}`);
  const missing = pair.missing.map((cause) => CAUSES[cause] ?? cause);
  const left = `${count(unexplainedBytes)} unexplained (${percent(unexplainedBytes, comparedBytes(pair))})`;
  const reasons = difference === 0 ? [] : [...explained, ...(unexplainedBytes === 0 ? [] : [left])];
  return [
    `  ${outcomeOf(pair)} ${pair.pair}: ${[sides, ...reasons, ...missing].join('; ')}`,
    ...hours.map(({ at, firstBytes: first, secondBytes: second }) => {
      const hour = formatLocal(at, zone).slice(11, 16);
      return `    ${hour}: ${count(first)} - ${count(second)} = ${count(first - second)}`;
    }),
  ];
};

const count = (bytes: number): string => bytes.toLocaleString('en');

const percent = (part: number, whole: number): string =>
  `${whole === 0 ? '0' : ((100 * part) / whole).toFixed(2)} %`;
