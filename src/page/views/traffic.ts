// Shows traffic as totals and as a table, with the same content as the plots.

import type { Point, Traffic } from '../answers.ts';
import { ago, column, orDash, quiet, table } from '../components.ts';
import { bytes, count, dateIn, local, percent, utc } from '../format.ts';
import { html, type Markup } from '../html.ts';

export const trafficTotals = (
  { totals, complete_until: until }: Traffic,
  now: number,
): Markup => html`<dl class="figures">
<div><dt>Bytes</dt><dd>${totals.bytes === null ? '–' : bytes(totals.bytes)}</dd></div>
<div><dt>Requests</dt><dd>${totals.requests === null ? '–' : count(totals.requests)}</dd></div>
<div><dt>Failed requests</dt><dd>${totals.failed_requests === null ? '–' : count(totals.failed_requests)}${failedShare(totals)}</dd></div>
<div><dt>Complete until</dt><dd>${until === null ? quiet('not read yet') : ago(until, now)}</dd></div>
</dl>`;

const failedShare = ({ requests, failed_requests: failed }: Traffic['totals']): Markup | null =>
  requests && failed !== null ? html` ${quiet(`${percent(failed / requests)} of all requests`)}` : null;

/** Sums points by hour or day of the reader's zone, for a readable table. Points of a day are days of the account's zone. */
export const trafficTable = ({ data, step }: Traffic, by: 'hour' | 'day', timeZone: string): Markup => {
  const hour = by === 'hour';
  return table<Sums>(
    `Traffic by ${by}`,
    [
      column(
        hour ? 'Hour' : 'Day',
        ({ at, from }) => html`<time datetime="${from}" title="from ${utc(Date.parse(from))}">${at}</time>`,
      ),
      column('Bytes', (sums) => orDash(sums.bytes, bytes), 'number'),
      column('Requests', (sums) => orDash(sums.requests, count), 'number'),
      column('Failed', (sums) => orDash(sums.failed_requests, count), 'number'),
    ],
    sumsBy(data, (at) => {
      if (step === 'day') return dateIn(at, timeZone);
      return hour ? `${local(at).slice(0, 13)}:00` : local(at).slice(0, 10);
    }),
  );
};

interface Sums {
  readonly at: string;
  /** The start of the first point. */
  readonly from: string;
  /** Null if no point has a value. */
  readonly bytes: number | null;
  readonly requests: number | null;
  readonly failed_requests: number | null;
}

/** Sums points with the same key of their start (ms); the newest sums come first. */
export const sumsBy = (points: readonly Point[], keyOf: (at: number) => string): Sums[] =>
  [...Map.groupBy(points, ({ at }) => keyOf(Date.parse(at)))].reverse().map(([at, group]) => {
    const sum = (key: 'bytes' | 'requests' | 'failed_requests') => sumOf(group.map((point) => point[key]));
    const from = group[0]?.at ?? '';
    return {
      at,
      from,
      bytes: sum('bytes'),
      requests: sum('requests'),
      failed_requests: sum('failed_requests'),
    };
  });

/** Sums the values that are not null; null if all are null. */
export const sumOf = (amounts: readonly (number | null)[]): number | null => {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0);
};
