// What proxywatch reconcile prints: a block a day, a line a pair, and the hours of what is unexplained.

import type { Compared } from '../collectors/reconciliation/compare.ts';
import type { Day } from '../collectors/reconciliation/days.ts';
import { comparedBytes, differs } from '../collectors/reconciliation/explain.ts';
import type { Account } from '../daemon/settings.ts';
import { formatLocal } from '../provider/time.ts';

/** Causes of differences and of missing data, in words. */
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
  found: readonly Compared[],
): string[] =>
  days.flatMap(({ date, start }) => {
    const pairs = found.filter(({ dayStart }) => dayStart === start);
    const lines = pairs.flatMap((pair) => linesOf(pair, time_zone));
    return [
      `${name} ${date}`,
      ...(lines.length > 0 ? lines : ['  not monitored: every comparison needs traffic, which is off']),
    ];
  });

export type Verdict = 'ok' | 'unknown' | 'DIFFERS';

/** Sides with missing data may agree by chance. */
export const verdictOf = (pair: Compared): Verdict => {
  if (pair.missing.length > 0) return 'unknown';
  return differs(pair) ? 'DIFFERS' : 'ok';
};

const linesOf = (pair: Compared, zone: string): string[] => {
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
    `  ${verdictOf(pair)} ${pair.pair}: ${[sides, ...reasons, ...missing].join('; ')}`,
    ...hours.map(({ at, firstBytes: first, secondBytes: second }) => {
      const hour = formatLocal(at, zone).slice(11, 16);
      return `    ${hour}: ${count(first)} - ${count(second)} = ${count(first - second)}`;
    }),
  ];
};

const count = (bytes: number): string => bytes.toLocaleString('en');

const percent = (part: number, whole: number): string =>
  `${whole === 0 ? '0' : ((100 * part) / whole).toFixed(2)} %`;
