// Adds up the bytes of a period: of the residential ledger, of all proxy users, and of the traffic of the account.

import { pointsOf, totalsOf } from '../../../collectors/traffic/points.ts';
import { endOfDate, type Period } from '../../../lib/calendar.ts';
import { localDayOf } from '../../../lib/local-days.ts';
import { METERED_TYPES } from '../../../lib/product-types.ts';
import { DAY, HOUR } from '../../../lib/time.ts';
import type { Graph } from '../../../store/traffic-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import { unknown } from '../invoice/invoice-json.ts';
import { readLedgerMonth } from '../invoice/ledger-month.ts';
import { unknownLedger } from '../invoice/unknown-parts.ts';
import { unknownUsers } from '../invoice/unknown-use.ts';
import type { Revised } from '../users/ranking-cache.ts';
import { largestUsers, rankAccount } from '../users/user-ranking.ts';
import { startOfDate, whereAny } from './period.ts';
import type { Amounts, Report, UnknownOfReport } from './report-json.ts';

type Account = Pick<AccountView, 'settings' | 'store' | 'clock'>;

interface PeriodAmounts extends Pick<Report, 'users' | 'ledger_services'> {
  readonly amounts: Amounts;
  readonly unknown: UnknownOfReport;
}

/** The number of users and services that a report names. */
export const MOST_NAMED = 5;

export const readAmounts = async (view: Revised, found: Account, period: Period): Promise<PeriodAmounts> => {
  const ledger = await ledgerOf(found, period);
  const use = await useOf(view, found, period);
  const traffic = await trafficOf(found, period);
  return {
    amounts: { ...ledger.amounts, ...use.amounts, ...traffic.amounts },
    ...{ users: use.users, ledger_services: ledger.services },
    unknown: [...ledger.unknown, ...use.unknown, ...traffic.unknown],
  };
};

const ledgerOf = async ({ settings, store }: Account, period: Period) => {
  const { name, time_zone: zone } = settings;
  const listing = settings.residential_ledger
    ? (await store.ledgers.residential.summary(name)).listing
    : undefined;
  if (!listing || listing.completeAt === null)
    return {
      amounts: { ledger_added_bytes: null, ledger_used_bytes: null },
      ...{ services: [], unknown: unknownLedger('residential', listing, undefined, zone, period) },
    };
  const { reasons, services } = await readLedgerMonth(
    store.ledgers.residential,
    name,
    zone,
    period,
    Number.POSITIVE_INFINITY,
  );
  const sum = (bytes: 'added_bytes' | 'used_bytes') => reasons.reduce((all, each) => all + each[bytes], 0);
  // A report lists no rows, so it matters neither which are late nor how many there are.
  const counts = { untimedRows: 0, lateRowCount: 0, serviceCount: 0 };
  return {
    amounts: { ledger_added_bytes: sum('added_bytes'), ledger_used_bytes: sum('used_bytes') },
    services: servicesByUse(services),
    unknown: unknownLedger('residential', listing, counts, zone, period),
  };
};

const servicesByUse = (
  sums: readonly { readonly service_id: string | null; readonly used_bytes: number }[],
): Report['ledger_services'] =>
  [...Map.groupBy(sums, ({ service_id }) => service_id)]
    .map(([service_id, each]) => ({
      service_id,
      used_bytes: each.reduce((sum, { used_bytes }) => sum + used_bytes, 0),
    }))
    .filter(({ used_bytes }) => used_bytes > 0)
    .sort((one, other) => other.used_bytes - one.used_bytes)
    .slice(0, MOST_NAMED);

const useOf = async (view: Revised, { settings, store, clock }: Account, period: Period) => {
  const { name, time_zone: zone } = settings;
  const now = clock.now();
  const none = { residential_users_bytes: null, mobile_users_bytes: null };
  if (!settings.proxy_users)
    return { amounts: none, users: [], unknown: unknownUsers(undefined, zone, period, now) };
  const range = { from: period.dates[0] ?? '', to: period.dates.at(-1) ?? '' };
  const ranked = await rankAccount(view, { settings, store }, range, METERED_TYPES);
  const [next] = await store.userUse.days(name, Date.parse(range.to) / DAY + 1, localDayOf(zone, now));
  const { bytes } = ranked.json;
  return {
    amounts: bytes ? { residential_users_bytes: bytes.residential, mobile_users_bytes: bytes.mobile } : none,
    users: await largestUsers([ranked], METERED_TYPES, MOST_NAMED),
    unknown: unknownUsers({ ...ranked, next, first: [] }, zone, period, now),
  };
};

const trafficOf = async ({ settings, store, clock }: Account, period: Period) => {
  const { name, time_zone: zone } = settings;
  const graph = settings.traffic
    ? (await store.traffic.graphs(name)).find((each) => each.name === '')
    : undefined;
  const history = graph ? store.traffic.history(graph.id, period.from, period.to) : [];
  const points = await pointsOf(history, zone, HOUR);
  const { bytes, requests } = totalsOf(points);
  return {
    amounts: { traffic_bytes: bytes, traffic_requests: requests },
    unknown: settings.traffic
      ? unknownTraffic(graph, points[0]?.at, zone, period, clock.now())
      : [unknown('traffic', 'traffic is off')],
  };
};

/** `firstAt` is when the first known hour of the period begins (ms). */
const unknownTraffic = (
  graph: Graph | undefined,
  firstAt: number | undefined,
  zone: string,
  { dates, unit }: Period,
  now: number,
): UnknownOfReport => {
  const until = graph?.watermark ?? null;
  if (!graph || until === null || firstAt === undefined)
    return [unknown('traffic', `proxywatch has no traffic of this ${unit}`)];
  const missing = dates.filter((date) => startOfDate(zone, date) < firstAt);
  const unread = dates.filter((date) => {
    const [start, end] = [startOfDate(zone, date), Math.min(endOfDate(zone, date), now - EDGE_MS)];
    const ranges = [...graph.gaps, { from: until, to: end }];
    return ranges.some(({ from, to }) => Math.max(from, start) < Math.min(to, end));
  });
  return [
    ...whereAny('traffic', 'proxywatch has no traffic of these days, or only of their end', missing),
    ...whereAny('traffic', 'proxywatch has not read all traffic of these days', unread),
  ];
};

/** The newest buckets are complete some time after their end. */
const EDGE_MS = HOUR;
