// Formats what a receiver of remote write has otherwise than it was sent.

import { countOf, formatDecimal, tableLines } from '../../format.ts';
import type { AccountComparison, DifferingSum, LeftOutDay } from './compare.ts';

/** More lines help nobody, and a receiver that lost everything would have thousands. */
const MAX_LINES = 200;

const COLUMNS = [
  ...['account', 'day', 'series'].map((header) => ({ header })),
  ...['sent', 'received', 'missing'].map((header) => ({ header, isNumeric: true })),
];

export const reportOf = (
  name: string,
  { compared, differing, leftOut }: AccountComparison,
): readonly string[] => {
  const shown = differing.slice(0, MAX_LINES);
  return [
    ...(shown.length > 0 ? tableLines(COLUMNS, shown.map(cellsOf)) : []),
    ...(differing.length > shown.length ? [`and ${differing.length - shown.length} more`] : []),
    ...leftOutLines(leftOut),
    `${name}: ${verdictOf(compared, differing)}`,
  ];
};

const verdictOf = (compared: number, differing: readonly DifferingSum[]): string => {
  if (compared === 0) return 'no daily sum was compared';
  const all = countOf(compared, 'daily sum');
  if (differing.length === 0) return `none of ${all} differs`;
  return `${differing.length} of ${all} ${differing.length === 1 ? 'DIFFERS' : 'DIFFER'}, on ${daysText(differing)}`;
};

const cellsOf = ({ account, day, family, labels, sum, received }: DifferingSum): string[] => {
  const selector = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const series = selector.length === 0 ? family.name : `${family.name}{${selector.join(',')}}`;
  return [account, day.date, series, ...[sum, received, sum - received].map(amount)];
};

const amount = (value: number): string => formatDecimal(value, Number.isInteger(value) ? 0 : 2);

/** Histories settle at different times, so the days that are left out differ from family to family. */
const leftOutLines = (leftOut: readonly LeftOutDay[]): string[] =>
  [...Map.groupBy(leftOut, ({ account, reason, day }) => JSON.stringify([account, day.date, reason]))].map(
    ([key, entries]) => {
      const [account, date, reason] = JSON.parse(key) as string[];
      const families = [...new Set(entries.map(({ family }) => family))];
      return `left out: ${date} of ${account}, ${reason} (${families.join(', ')})`;
    },
  );

export const daysText = (sums: readonly DifferingSum[]): string => datesOf(sums).join(', ');

const datesOf = (sums: readonly DifferingSum[]): string[] =>
  [...new Set(sums.map(({ day }) => day.date))].toSorted();
