// Traffic in words and as a table, which say what the plots show.

import type { Point, Traffic } from '../answers.ts';
import { bytes, count, percent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { ago, quiet, table } from '../parts.ts';

export const trafficTotals = (
  { totals, complete_until: until }: Traffic,
  now: number,
): Markup => html`<dl class="figures">
<div><dt>Bytes</dt><dd>${totals.bytes === null ? '–' : bytes(totals.bytes)}</dd></div>
<div><dt>Requests</dt><dd>${totals.requests === null ? '–' : count(totals.requests)}</dd></div>
<div><dt>Failed</dt><dd>${totals.failed_requests === null ? '–' : count(totals.failed_requests)} <span class="quiet">${failedWords(totals)}</span></dd></div>
<div><dt>Read</dt><dd>${until === null ? quiet('never') : html`up to ${ago(until, now)}`}</dd></div>
</dl>`;

export const failedWords = ({
  requests,
  failed_requests: failed,
}: Pick<Point, 'requests' | 'failed_requests'>): string => {
  if (failed === null) return '–';
  return requests ? percent(failed / requests) : count(failed);
};

/** Points by hour or by day, so that the table of a day of minutes can be read. */
export const trafficTable = ({ data }: Traffic, by: 'hour' | 'day'): Markup => {
  const hour = by === 'hour';
  return table<Sums>(
    `Traffic by ${by}`,
    [
      { name: `${hour ? 'Hour' : 'Day'} (UTC)`, cell: ({ at }) => at },
      { name: 'Bytes', cell: (sums) => bytes(sums.bytes), kind: 'number' },
      { name: 'Requests', cell: (sums) => count(sums.requests), kind: 'number' },
      { name: 'Failed', cell: (sums) => count(sums.failed_requests), kind: 'number' },
    ],
    sumsBy(data, (at) => (hour ? `${at.slice(0, 10)} ${at.slice(11, 13)}:00` : at.slice(0, 10))),
  );
};

interface Sums {
  readonly at: string;
  readonly bytes: number;
  readonly requests: number;
  readonly failed_requests: number;
}

/** The newest first. */
export const sumsBy = (points: readonly Point[], keyOf: (at: string) => string): Sums[] =>
  [...Map.groupBy(points, ({ at }) => keyOf(at))].reverse().map(([at, group]) => {
    const sum = (key: 'bytes' | 'requests' | 'failed_requests') =>
      group.reduce((total, point) => total + (point[key] ?? 0), 0);
    return { at, bytes: sum('bytes'), requests: sum('requests'), failed_requests: sum('failed_requests') };
  });
