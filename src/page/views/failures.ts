// Shows failed tests and changes of the inventory.

import type { Failure, InventoryChange } from '../answers.ts';
import {
  badge,
  type Column,
  column,
  emptyCell,
  localTime,
  minute,
  quiet,
  subjectLink,
  table,
} from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';
import { wordOf } from './adjustments.ts';

type Part = 'proxy' | 'target' | 'tester';

export const failureTable = (failures: readonly Failure[], without: Part): Markup =>
  table<Failure>('Failed tests, newest first', failureColumns(without), failures);

/** Tests can have failed before proxywatch was installed, and before it stored failures. */
export const NO_FAILURES =
  'proxywatch has no failed tests of the last 7 days. It keeps only the newest 10,000 failed tests of each account.';

/** Leaves out the column of the subject whose page shows the failures. */
export const failureColumns = (without: Part | null): Column<Failure>[] => {
  const columns: Readonly<Record<Part, Column<Failure>>> = {
    proxy: column('Proxy', ({ account, proxy_id: id }) => subjectLink(account, 'proxy', id)),
    target: column('Target', ({ account, url }) => subjectLink(account, 'target', url)),
    tester: column('Tester', ({ account, tester_server: id }) => subjectLink(account, 'tester', id)),
  };
  const parts = (Object.keys(columns) as Part[]).filter((part) => part !== without);
  return [
    column('Failed at', ({ at }) => localTime(at, 'second')),
    ...parts.map((part) => columns[part]),
    column(
      'Error',
      ({ error_source: source, error_code: code, probe }) => {
        const error = source === null ? code : `${source}${code === null ? '' : `: ${code}`}`;
        if (error === null) return quiet('not given');
        return probe?.request_id ? html`${error} (request id ${probe.request_id})` : error;
      },
      'wide',
    ),
  ];
};

export const changeTable = (changes: readonly InventoryChange[]): Markup =>
  table<InventoryChange>('Changes of the inventory, newest first', changeColumns, changes);

/** What the page calls each kind of change. */
export const CHANGE_NAMES: Readonly<Record<InventoryChange['change'], string>> = {
  appeared: 'Appeared',
  gone: 'Removed',
  address: 'Address',
  asn: 'Network',
  city: 'City',
};

/** Shows a network or city by its name, if it is known, and then by its id. */
const changedValue = (
  change: InventoryChange['change'],
  value: string | null,
  name: string | null,
): Value => {
  if (value === null) return emptyCell();
  if (change !== 'asn' && change !== 'city') return value;
  const id = change === 'asn' ? `AS${value}` : `city id ${value}`;
  return name ? html`${name} ${quiet(id)}` : id;
};

export const changeColumns: readonly Column<InventoryChange>[] = [
  column('Seen at', ({ at }) => minute(at)),
  column(
    'Change',
    ({ change, reason }) =>
      html`${badge('none', CHANGE_NAMES[change])}${reason === null ? null : html` ${quiet(wordOf(reason))}`}`,
    'state',
  ),
  column('Proxy', ({ account, proxy_id: id, ip_address: address }) =>
    subjectLink(account, 'proxy', id, address ?? id),
  ),
  column('Before', ({ change, before, before_name: name }) => changedValue(change, before, name)),
  column('After', ({ change, after, after_name: name }) => changedValue(change, after, name), 'wide'),
  column('Id', ({ proxy_id: id }) => quiet(id)),
];
