// What proxywatch reconcile prints: a block a day, a line a pair, and the hours of what is unexplained.

import type { Day } from '../collectors/reconciliation/days.ts';
import { comparedBytes, differs } from '../collectors/reconciliation/explain.ts';
import { formatLocal } from '../provider/time.ts';
import type { Account } from '../settings.ts';
import type { Reconciled } from '../store/reconciliation-store.ts';

/** Causes as people read them. */
const CAUSES: Readonly<Record<string, string>> = {
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
  found: readonly Reconciled[],
): string[] =>
  days.flatMap(({ date, start }) => {
    const pairs = found.filter(({ dayStart }) => dayStart === start);
    const lines = pairs.flatMap((pair) => linesOf(pair, time_zone));
    return [`${name} ${date}`, ...(lines.length > 0 ? lines : ['  nothing to compare'])];
  });

const linesOf = (pair: Reconciled, zone: string): string[] => {
  const { firstBytes, secondBytes, unexplainedBytes, hours } = pair;
  const difference = firstBytes - secondBytes;
  const sides = `${count(firstBytes)} - ${count(secondBytes)} = ${count(difference)} bytes`;
  const explained = pair.explained.map(({ cause, bytes }) => `${count(bytes)} ${CAUSES[cause] ?? cause}`);
  const left = `${count(unexplainedBytes)} unexplained (${percent(unexplainedBytes, comparedBytes(pair))})`;
  const reasons = difference === 0 ? [] : [...explained, ...(unexplainedBytes === 0 ? [] : [left])];
  const verdict = differs(pair) ? 'DIFFERS' : 'ok';
  return [
    `  ${verdict} ${pair.pair}: ${[sides, ...reasons].join('; ')}`,
    ...hours.map(({ at, firstBytes: first, secondBytes: second }) => {
      const hour = formatLocal(at, zone).slice(11, 16);
      return `    ${hour}: ${count(first)} - ${count(second)} = ${count(first - second)}`;
    }),
  ];
};

const count = (bytes: number): string => bytes.toLocaleString('en');

const percent = (part: number, whole: number): string =>
  `${whole === 0 ? '0' : ((100 * part) / whole).toFixed(2)} %`;
