// The residential balance, when it will be used up, and the ledger by day.

import type { Balance, Ledger, LedgerDay } from '../answers.ts';
import { bytes, count } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { day, empty, nothing, quiet, table } from '../parts.ts';

export const balanceView = (ledger: Ledger | undefined, now: number): Markup => {
  if (!ledger) return empty('The residential ledger is not polled for this account.');
  if (!ledger.balance) return empty('The balance is not known until every row of the ledger has been read.');
  return html`<dl class="figures">
<div><dt>Left</dt><dd class="large">${bytes(ledger.balance.left_bytes)}</dd></div>
<div><dt>Used up</dt><dd>${usedUp(ledger.balance, now)}</dd></div>
<div><dt>Added in all</dt><dd>${bytes(ledger.balance.added_bytes)}</dd></div>
<div><dt>Used in all</dt><dd>${bytes(ledger.balance.used_bytes)}</dd></div>
</dl>${ledger.services.length === 0 ? null : serviceBalances(ledger.services, now)}`;
};

const usedUp = ({ left_bytes: left, exhausted_at: at }: Balance, now: number): Markup => {
  if (left <= 0) return quiet('nothing is left');
  return at === null ? quiet('nothing is being used') : day(at, now);
};

const serviceBalances = (services: Ledger['services'], now: number): Markup =>
  table<Ledger['services'][number]>(
    'Residential balances by service',
    [
      { name: 'Service', cell: ({ service_id: id }) => id },
      { name: 'Left', cell: ({ left_bytes: left }) => bytes(left), kind: 'number' },
      { name: 'Used up', cell: (balance) => usedUp(balance, now), kind: 'wide' },
    ],
    services,
  );

/** Sums of a day over all reasons and services. */
export interface DaySums {
  readonly date: string;
  readonly added: number;
  readonly used: number;
  readonly requests: number;
}

export const daySums = (days: readonly LedgerDay[]): DaySums[] =>
  [...Map.groupBy(days, ({ date }) => date)].map(([date, rows]) => {
    const sum = (key: 'added_bytes' | 'used_bytes' | 'requests') =>
      rows.reduce((total, row) => total + (row[key] ?? 0), 0);
    return { date, added: sum('added_bytes'), used: sum('used_bytes'), requests: sum('requests') };
  });

export const dayTable = (days: readonly DaySums[]): Markup =>
  table<DaySums>(
    'Residential ledger by day',
    [
      { name: 'Day', cell: ({ date }) => date },
      { name: 'Used', cell: ({ used }) => bytes(used), kind: 'number' },
      { name: 'Added', cell: ({ added }) => (added === 0 ? nothing() : bytes(added)), kind: 'number' },
      { name: 'Requests', cell: ({ requests }) => count(requests), kind: 'number' },
    ],
    [...days].reverse(),
  );
