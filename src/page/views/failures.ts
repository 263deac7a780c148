// Shows failed tests, the faults that they show, and changes of the inventory.

import type { Failure, Fault, InventoryChange, Page } from '../answers.ts';
import {
  ago,
  badge,
  type Column,
  emptyCell,
  emptyNote,
  localTime,
  quiet,
  subjectLink,
  table,
} from '../components.ts';
import { html, type Markup, type Value } from '../html.ts';
import { withFreshness } from './freshness.ts';

type Part = 'proxy' | 'target' | 'tester';

export const failureTable = (failures: readonly Failure[], without: Part): Markup =>
  table<Failure>('Failed tests, newest first', failureColumns(without), failures);

/** Tests can have failed before proxywatch was installed, and before it stored failures. */
export const NO_FAILURES =
  'proxywatch has no failed tests of the last 7 days. It keeps only the newest 10,000 failed tests of each account.';

/** Leaves out the column of the subject whose page shows the failures. */
export const failureColumns = (without: Part | null): Column<Failure>[] => {
  const columns: Readonly<Record<Part, Column<Failure>>> = {
    proxy: { name: 'Proxy', cell: ({ account, proxy_id: id }) => subjectLink(account, 'proxy', id) },
    target: { name: 'Target', cell: ({ account, url }) => subjectLink(account, 'target', url) },
    tester: { name: 'Tester', cell: ({ account, tester_server: id }) => subjectLink(account, 'tester', id) },
  };
  const parts = (Object.keys(columns) as Part[]).filter((part) => part !== without);
  return [
    { name: 'Failed at', cell: ({ at }) => localTime(Date.parse(at), 'second') },
    ...parts.map((part) => columns[part]),
    {
      name: 'Error',
      cell: ({ error_source: source, error_code: code, probe }) => {
        const error = source === null ? code : `${source}${code === null ? '' : `: ${code}`}`;
        if (error === null) return quiet('not given');
        return probe?.request_id ? html`${error} (request id ${probe.request_id})` : error;
      },
      kind: 'wide',
    },
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

/** The API has only the ids of networks and cities. */
const changedValue = (change: InventoryChange['change'], value: string | null): Value => {
  if (value === null) return emptyCell();
  if (change === 'asn') return `AS${value}`;
  return change === 'city' ? `city id ${value}` : value;
};

export const changeColumns: readonly Column<InventoryChange>[] = [
  { name: 'Seen at', cell: ({ at }) => localTime(Date.parse(at), 'minute') },
  { name: 'Change', cell: ({ change }) => badge('none', CHANGE_NAMES[change]), kind: 'state' },
  { name: 'Proxy', cell: ({ account, proxy_id: id }) => subjectLink(account, 'proxy', id) },
  { name: 'Before', cell: ({ change, before }) => changedValue(change, before) },
  { name: 'After', cell: ({ change, after }) => changedValue(change, after), kind: 'wide' },
];

/** Says that no fault was found only if there are current results, because missing results may hide faults. */
export const faultView = (page: Page<Fault> | null, now: number): Markup => {
  const faults = page?.data ?? [];
  return withFreshness({ freshness: page?.freshness, now, isEmpty: faults.length === 0 }, () =>
    faults.length === 0 ? emptyNote('The last results show no fault.') : faultTable(faults, now),
  );
};

const subjectOf = ({ account, kind, subject }: Fault) =>
  kind === 'provider' || subject === ''
    ? `the ${kind}`
    : subjectLink(account, kind === 'access' ? 'proxy' : kind, subject);

const faultTable = (faults: readonly Fault[], now: number): Markup =>
  table<Fault>(
    'Faults that the proxy tests found',
    [
      { name: 'At fault', cell: subjectOf },
      { name: 'Kind', cell: ({ kind }) => badge('bad', kind), kind: 'state' },
      { name: 'Since', cell: ({ since }) => ago(since, now) },
      {
        name: 'Reason',
        cell: ({ reason }) => (reason === null ? quiet('unknown') : html`${reason}`),
        kind: 'wide',
      },
    ],
    faults,
  );
