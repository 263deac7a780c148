// Shows the balance of a ledger, its forecast, and the ledger by day.

import type { Balance, Ledger, LedgerDay } from '../answers.ts';
import { badge, column, dateAndDistance, emptyNote, minute, orDash, quiet, table } from '../components.ts';
import { bytes, count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { sumOf } from './traffic.ts';

/** `kind` is the product type, as the title of a table has it. */
export const balanceView = (kind: string, ledger: Ledger | undefined, now: number): Markup => {
  if (!ledger?.balance) return noBalance(ledger);
  return html`<dl class="figures">
<div><dt>Left</dt><dd class="large">${bytes(ledger.balance.left_bytes)}</dd></div>
<div><dt>Runs out</dt><dd>${runsOut(ledger.balance, now)}</dd></div>
${fact('At the earliest', earliest(ledger.balance, now))}${fact('At the latest', latest(ledger.balance, now))}
<div><dt>Added in total</dt><dd>${bytes(ledger.balance.added_bytes)}</dd></div>
<div><dt>Used in total</dt><dd>${bytes(ledger.balance.used_bytes)}</dd></div>
</dl>${ledger.services.length < 2 ? null : serviceBalances(kind, ledger.services, now)}`;
};

const fact = (name: string, value: Value): Markup | null =>
  value === null ? null : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** Explains why there is no balance. */
const noBalance = (ledger: Ledger | undefined): Markup => {
  if (!ledger || ledger.unread_rows === null)
    return emptyNote('The balance is unknown until proxywatch has read every row of the ledger.');
  if (ledger.unread_rows === 0) return emptyNote('The ledger has no rows.');
  return html`<p class="empty">${badge('none', 'Unknown')} proxywatch could not decode ${count(ledger.unread_rows)} rows of the ledger.</p>`;
};

const runsOut = ({ exhausted_at: at, forecast }: Balance, now: number): Markup =>
  at === null ? quiet(FORECASTS[forecast]) : dateAndDistance(at, now);

type Exhaustion = Pick<Balance, 'exhausted_at' | 'exhausted_earliest_at' | 'exhausted_latest_at'>;

/** Shows when a forecast ends at the fastest pace of the past; null without a forecast. */
export const earliest = ({ exhausted_at, exhausted_earliest_at: at }: Exhaustion, now: number): Value =>
  exhausted_at === null || at === null ? null : dateAndDistance(at, now);

/** Shows when a forecast ends at the slowest pace of the past; null without a forecast. */
export const latest = ({ exhausted_at, exhausted_latest_at: at }: Exhaustion, now: number): Value => {
  if (exhausted_at === null) return null;
  return at === null ? quiet('in over 10 years, or never') : dateAndDistance(at, now);
};

/** Texts that are shown instead of a time. */
export const FORECASTS: Readonly<Record<Balance['forecast'], string>> = {
  expected: '',
  not_used: 'not in use',
  used_up: 'used up',
  no_history: 'no forecast yet',
};

const serviceBalances = (kind: string, services: Ledger['services'], now: number): Markup =>
  table<Ledger['services'][number]>(
    `${kind} balances by service`,
    [
      column('Service', ({ service_id: id }) => id),
      column('Left', ({ left_bytes: left }) => bytes(left), 'number'),
      column('Runs out', (balance) => runsOut(balance, now), 'wide'),
    ],
    services,
  );

/** Sums of a day over all reasons and services. */
export interface DaySums {
  readonly date: string;
  readonly added: number;
  readonly used: number;
  /** Null if no row has a value. */
  readonly requests: number | null;
  /** When the provider last changed it after the end of the day; null if it did not. */
  readonly correctedAt: string | null;
}

export const daySums = (days: readonly LedgerDay[]): DaySums[] =>
  [...Map.groupBy(days, ({ date }) => date)].map(([date, rows]) => {
    const sum = (key: 'added_bytes' | 'used_bytes') => rows.reduce((total, row) => total + row[key], 0);
    const requests = sumOf(rows.map((row) => row.requests));
    const correctedAt = rows.map((row) => row.corrected_at).reduce(latestOf, null);
    return { date, added: sum('added_bytes'), used: sum('used_bytes'), requests, correctedAt };
  });

const latestOf = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one;

export const dayTable = (kind: string, days: readonly DaySums[]): Markup =>
  table<DaySums>(
    `${kind} ledger by day`,
    [
      column('Day', ({ date, correctedAt: at }) => [
        date,
        at === null ? null : html` ${quiet(html`corrected ${minute(at)}`)}`,
      ]),
      column('Used', ({ used }) => bytes(used), 'number'),
      column('Added', ({ added }) => orDash(added || null, bytes), 'number'),
      column('Requests', ({ requests }) => orDash(requests, count), 'number'),
    ],
    [...days].reverse(),
  );
