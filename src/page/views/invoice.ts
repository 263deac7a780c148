// Shows what proxywatch knows of a month, also what does not add up, and what is unknown.

import type { Invoice } from '../answers.ts';
import {
  badge,
  type Column,
  column,
  emptyNote,
  factList,
  minute,
  orDash,
  orUnknown,
  part,
  subjectLink,
  table,
  unknownParts,
} from '../components.ts';
import { count, percent } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { withFreshness } from './freshness.ts';
import { serviceTable } from './market.ts';

export const invoiceView = (invoice: Invoice, now: number): Markup => {
  const { account, month, time_zone: zone, use, services } = invoice;
  const freshness = invoice.freshness;
  return html`<h2>${month} <span class="quiet">account ${account}, days of ${zone}, 1 GB is 1,000,000,000 bytes</span></h2>
<p class="verdict">${verdict(invoice)}</p>
${withFreshness({ freshness, now, isEmpty: false }, () => factList(factsOf(invoice)))}
${part('Residential data by reason', reasons(invoice))}
${part('Residential data by service', ledgerServices(invoice))}
${part('Corrections after the end of the month', corrections(invoice))}
${use ? part('Use by proxy user', users(invoice)) : null}
${services.length > 0 ? part('Services', serviceTable(services, now)) : null}
${part('What does not add up', differences(invoice))}
${part('What is unknown', unknownParts(invoice.unknown))}`;
};

/** One verdict, by the worst of what is known. */
const verdict = ({ differences, ...invoice }: Invoice): Markup => {
  const days = new Set(differences.map(({ date }) => date)).size;
  if (days > 0)
    return badge('bad', days === 1 ? '1 day does not add up' : `${count(days)} days do not add up`);
  if (!invoice.is_over) return badge('none', 'The month is not over. All numbers are those so far');
  const isCompared = invoice.pairs.length > 0 && invoice.pairs.every((pair) => pair.unknown_days === 0);
  return invoice.ledgers_complete && isCompared
    ? badge('good', 'All days add up')
    : badge('none', 'Known in part');
};

const factsOf = ({ use, ledger_read_at: readAt, ...invoice }: Invoice): Readonly<Record<string, Value>> => ({
  'Used, GB': gigabytes(invoice.used_bytes),
  'Added, GB': gigabytes(invoice.added_bytes),
  'Mobile used, GB': invoice.mobile_used_bytes === null ? null : gigabytes(invoice.mobile_used_bytes),
  'Mobile added, GB': invoice.mobile_added_bytes === null ? null : gigabytes(invoice.mobile_added_bytes),
  'Proxy users with use': use?.bytes ? count(use.users) : null,
  'Ledger read at': readAt && minute(readAt),
  'Use counted from': use?.counted_since ? minute(use.counted_since) : null,
  'Use counted until': use?.counted_until ? minute(use.counted_until) : null,
});

/** With three decimals, as the command `invoice` prints them. */
const gigabytes = (amount: number | null): Value =>
  orUnknown(amount, (known) =>
    (known / 1e9).toLocaleString('en', { minimumFractionDigits: 3, maximumFractionDigits: 3 }),
  );

interface Sums {
  readonly added_bytes: number | null;
  readonly used_bytes: number | null;
  readonly requests: number | null;
}

const SUMS: readonly Column<Sums>[] = [
  column('Added, GB', ({ added_bytes: added }) => gigabytes(added), 'number'),
  column('Used, GB', ({ used_bytes: used }) => gigabytes(used), 'number'),
  column('Requests', ({ requests }) => orDash(requests, count), 'number'),
];

const reasons = ({ reasons, added_bytes, used_bytes }: Invoice): Markup =>
  table<Sums & { readonly reason: string }>(
    'Residential data by reason',
    [column('Reason', ({ reason }) => reason), ...SUMS],
    [...reasons, { reason: 'Total', added_bytes, used_bytes, requests: null }],
  );

const ledgerServices = ({ account, ledger_services: sums }: Invoice): Markup =>
  sums.length === 0
    ? emptyNote('The ledger has no rows of this month.')
    : table<Invoice['ledger_services'][number]>(
        'Residential data by service and reason',
        [column('Service', serviceOf(account)), column('Reason', ({ reason }) => reason), ...SUMS],
        sums,
      );

const serviceOf =
  (account: string) =>
  ({ service_id: id }: { readonly service_id: string | null }): Value =>
    id === null ? 'Whole account' : subjectLink(account, 'service', id);

/** Without rows, says that there are none only if the ledger was read after the month. */
const corrections = ({ account, late_rows: rows, ledger_read_after_end: isRead }: Invoice): Markup =>
  rows.length === 0
    ? emptyNote(
        isRead
          ? 'No row of the ledger is known to have come or changed after the month.'
          : 'Unknown until the ledger is read three hours after the month.',
      )
    : table<Invoice['late_rows'][number]>(
        'Rows of the ledger that came or changed after the month',
        [
          column('Day', ({ date }) => date),
          column('Reason', ({ reason }) => reason),
          column('Service', serviceOf(account)),
          ...SUMS,
          column('Changed', (row) => orDash(row.updated_at ?? row.created_at, minute)),
        ],
        rows,
      );

/** As many as the command `invoice` prints. The files have more. */
const SHOWN_USERS = 20;

const users = ({ users, use }: Invoice): Markup => {
  if (!use?.bytes) return emptyNote('The use of this month is unknown.');
  const { users: known, bytes } = use;
  const rest = known - Math.min(users.length, SHOWN_USERS);
  return html`${table<UserRow>('Use by proxy user, the largest first', USER_COLUMNS, [
    ...users.slice(0, SHOWN_USERS).map(({ account, proxy_user_id: id, ...user }) => ({
      ...user,
      name: subjectLink(account, 'user', id),
    })),
    { name: `All ${count(known)} users`, bytes, share: null },
  ])}${rest > 0 ? emptyNote(`${count(rest)} more users are not shown. CSV and JSON have up to 1,000 users.`) : null}`;
};

interface UserRow extends Pick<Invoice['users'][number], 'bytes'> {
  readonly name: Value;
  readonly share: number | null;
}

const USER_COLUMNS: readonly Column<UserRow>[] = [
  column('Proxy user', ({ name }) => name),
  column('Residential, GB', ({ bytes: { residential } }) => gigabytes(residential), 'number'),
  column('Mobile, GB', ({ bytes: { mobile } }) => gigabytes(mobile), 'number'),
  column('Share of all users', ({ share }) => orDash(share, percent), 'number'),
];

const differences = ({ pairs, differences }: Invoice): Markup => {
  if (pairs.length === 0) return emptyNote('proxywatch does not compare the sources of this account.');
  return html`${differences.length > 0 ? differenceTable(differences) : emptyNote('No compared day differs by more than 1%.')}
${table<Invoice['pairs'][number]>(
  'Comparisons of the sources of each day',
  [
    column('Compared sources', ({ pair }) => pair),
    column('Days that add up', ({ ok_days: days }) => count(days), 'number'),
    column('Days that differ', ({ differing_days: days }) => count(days), 'number'),
    column('Unknown days', ({ unknown_days: days }) => count(days), 'number'),
  ],
  pairs,
)}`;
};

const differenceTable = (differences: Invoice['differences']): Markup =>
  table<Invoice['differences'][number]>(
    'Days that do not add up',
    [
      column('Day', ({ date }) => date),
      column('Sources', ({ pair }) => pair),
      column('Difference, GB', ({ difference_bytes: bytes }) => gigabytes(bytes), 'number'),
      column('Unexplained, GB', ({ unexplained_bytes: bytes }) => gigabytes(bytes), 'number'),
    ],
    differences,
  );
