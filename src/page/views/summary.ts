// Shows the figures at the top of the page, each with a link to the section that has the details.

import type {
  AlertGroups,
  Balance,
  Collector,
  CountedPage,
  Fault,
  Freshness,
  Ledger,
  Page,
  Traffic,
  Unknown,
  UptimeHistory,
  UserSummary,
} from '../answers.ts';
import { badge, dateAndDistance, quiet } from '../components.ts';
import { bytes, compactCount, count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { isStopped, levelOf } from './alerts.ts';
import { FORECASTS } from './balance.ts';
import { freshnessNote, isUnknown, leastFresh } from './freshness.ts';
import { formatFailed } from './traffic.ts';
import { uptimeOf } from './uptime.ts';

/** The answers so far. An answer is null if the daemon answered 404. */
export interface SummaryData {
  /** The account that the page shows. */
  readonly account?: string;
  /** False if a reload removed the account. */
  readonly isConfigured?: boolean;
  readonly collectors?: readonly Collector[] | Unknown;
  readonly alerts?: AlertGroups | Unknown;
  readonly traffic?: Traffic | null | Unknown;
  readonly users?: UserSummary | null | Unknown;
  readonly ledger?: Page<Ledger> | null | Unknown;
  readonly faults?: CountedPage<Fault> | null | Unknown;
  readonly targets?: Page<UptimeHistory> | null | Unknown;
}

export const summaryView = (data: SummaryData, now: number): Markup => {
  const ifConfigured = (content: Tile): Tile => (data.isConfigured === false ? REMOVED : content);
  return html`<dl class="tiles">
${tile('alerts', 'Alerts', ifConfigured(alertTile(data, now)))}
${tile('collectors', 'Collectors', ifConfigured(collectorTile(data.collectors)))}
${tile('traffic', 'Traffic, 24 hours', ifConfigured(trafficTile(data.traffic, now)))}
${tile('quotas', 'Quotas', ifConfigured(quotaTile(data.users, now)))}
${tile('balance', 'Residential balance', ifConfigured(balanceTile(data.ledger, now)))}
${tile('tests', 'Proxy tests', ifConfigured(testTile(data, now)))}
</dl>`;
};

interface Tile {
  readonly figure: Value;
  readonly note: Value;
}

const tile = (section: string, name: string, { figure, note }: Tile): Markup =>
  html`<div class="tile"><dt><a href="#${section}">${name}</a></dt><dd><span class="figure">${figure}</span> <span class="note">${note}</span></dd></div>`;

const LOADING: Tile = { figure: '…', note: '' };

const unknownTile = (note: string): Tile => ({ figure: '–', note: badge('none', note) });

const ERROR = unknownTile('unknown, the daemon reported an error');

const REMOVED = unknownTile('no longer configured');

/** Returns the tile unchanged if its data is current, otherwise with the data's age, or a dash if there is no data. */
const withFreshnessNote = (freshness: Freshness | undefined, tile: () => Tile, now: number): Tile => {
  const note = freshnessNote(freshness, now);
  if (!note) return tile();
  return { figure: isUnknown(freshness) ? '–' : tile().figure, note };
};

/** Shows the alerts of the account and of the daemon, which concern every account. Others are only counted. */
const alertTile = ({ alerts, account = '', collectors = [] }: SummaryData, now: number): Tile => {
  if (!alerts) return LOADING;
  if (alerts === 'unknown') return ERROR;
  if (!alerts.evaluated) return unknownTile('not evaluated by this daemon');
  const isShown = (each: AlertCounts): boolean => each.account === null || each.account === account;
  const own = alerts.counts.filter(isShown);
  const firing = total(own, 'firing');
  const silenced = total(own, 'silenced');
  // Alerts from before a restart remain until the first evaluation. Until then, no alert means unknown.
  if (firing + silenced === 0 && alerts.evaluated_at === null) return unknownTile('no data yet');
  if (isStopped(alerts.evaluated_at, now)) return stoppedTile(firing);
  const others = alerts.counts.filter((each) => !isShown(each));
  const notes = {
    silenced: firing === 0 ? 0 : silenced,
    pending: total(own, 'pending'),
    'in other accounts': total(others, 'firing'),
  };
  const note = Object.entries(notes).flatMap(([name, found]) => (found > 0 ? `${count(found)} ${name}` : []));
  return {
    figure: firing === 0 ? 'None firing' : count(firing),
    note: html`${alertBadge(own, collectors)} ${quiet(note.join(', '))}`,
  };
};

/** The alerts from before evaluation stopped remain. */
const stoppedTile = (firing: number): Tile => ({
  figure: firing === 0 ? '–' : count(firing),
  note: badge('bad', 'not evaluated'),
});

type AlertCounts = AlertGroups['counts'][number];

const total = (counts: readonly AlertCounts[], key: 'firing' | 'silenced' | 'pending'): number =>
  counts.reduce((sum, each) => sum + each[key], 0);

const alertBadge = (own: readonly AlertCounts[], collectors: readonly Collector[] | Unknown): Markup => {
  if (total(own, 'firing') > 0)
    return badge(levelOf(own.flatMap((each) => each.worst_severity ?? [])), 'firing');
  const silenced = total(own, 'silenced');
  return silenced > 0 ? badge('none', `${count(silenced)} silenced`) : noneFiringBadge(collectors);
};

/** Does not show a green tick if collectors have no current data, because their alerts cannot fire. */
const noneFiringBadge = (collectors: readonly Collector[] | Unknown): Markup => {
  if (collectors === 'unknown') return badge('none', 'the state of the data is unknown');
  const unknown = collectors.filter(({ data_state: state }) => state !== 'current').length;
  if (collectors.length === 0) return badge('none', 'nothing is monitored');
  return unknown === 0
    ? badge('good', 'all data is current')
    : badge('none', `${unknown} of ${collectors.length} collectors have no current data`);
};

const collectorTile = (collectors: SummaryData['collectors']): Tile => {
  if (!collectors) return LOADING;
  if (collectors === 'unknown') return ERROR;
  const bad = collectors.filter(({ result }) => result === 'failed' || result === 'partial');
  const rest = collectors.filter((each) => !bad.includes(each));
  const stale = rest.filter(({ data_state: state }) => state === 'stale').length;
  const unread = rest.filter(({ data_state: state }) => state === 'no_data').length;
  const figure = `${rest.length - stale - unread} of ${collectors.length}`;
  if (collectors.length === 0) return unknownTile('not monitored');
  if (bad.length > 0) return { figure, note: badge('bad', bad.map(({ name }) => name).join(', ')) };
  if (stale > 0) return { figure, note: badge('fair', `${stale} stale`) };
  return { figure, note: unread > 0 ? badge('none', `${unread} without data yet`) : badge('good', 'all OK') };
};

const trafficTile = (traffic: SummaryData['traffic'], now: number): Tile => {
  if (traffic === undefined) return LOADING;
  if (traffic === 'unknown') return ERROR;
  if (!traffic) return unknownTile('not monitored');
  const { totals } = traffic;
  const tile = (): Tile =>
    totals.bytes === null
      ? unknownTile('no traffic reported')
      : { figure: bytes(totals.bytes), note: quiet(formatRequests(totals)) };
  return withFreshnessNote(traffic.freshness[0], tile, now);
};

const formatRequests = (totals: Traffic['totals']): string =>
  totals.requests === null
    ? 'requests unknown'
    : `${compactCount(totals.requests)} requests, ${formatFailed(totals)} failed`;

type QuotaStates = NonNullable<UserSummary['data'][number]['states']>;

const quotaTile = (users: SummaryData['users'], now: number): Tile => {
  if (users === undefined) return LOADING;
  if (users === 'unknown') return ERROR;
  if (!users) return unknownTile('not monitored');
  const tile = (): Tile => {
    const states = users.data.flatMap(({ states }) => states ?? []);
    return states.length === 0 ? unknownTile('no data yet') : quotaStatesTile(states);
  };
  return withFreshnessNote(users.freshness[0], tile, now);
};

const quotaStatesTile = (states: readonly QuotaStates[]): Tile => {
  const sum = (of: readonly (keyof QuotaStates)[]): number =>
    states.reduce((total, each) => total + of.reduce((some, state) => some + each[state], 0), 0);
  const [exhausted, soon, low] = [sum(['exhausted']), sum(['soon']), sum(['low'])];
  if (exhausted + soon + low === 0) return noneLowTile(sum(['ok', 'unlimited']), sum(['unknown']));
  const rest = [soon > 0 ? `${compactCount(soon)} soon` : [], low > 0 ? `${compactCount(low)} low` : []]
    .flat()
    .join(', ');
  if (exhausted === 0) return { figure: compactCount(soon + low), note: badge('fair', rest) };
  return { figure: compactCount(exhausted), note: html`${badge('bad', 'exhausted')} ${quiet(rest)}` };
};

/** Quotas whose limit or use is unknown do not count as OK. */
const noneLowTile = (fine: number, unknown: number): Tile => {
  if (fine === 0) return unknownTile(unknown === 0 ? 'no users' : 'all quotas are unknown');
  const rest = unknown === 0 ? null : quiet(`${compactCount(unknown)} unknown`);
  return { figure: 'OK', note: html`${badge('good', 'no quota is low')} ${rest}` };
};

const balanceTile = (ledger: SummaryData['ledger'], now: number): Tile => {
  if (ledger === undefined) return LOADING;
  if (ledger === 'unknown') return ERROR;
  return withFreshnessNote(
    ledger?.freshness?.[0],
    () => leftTile(ledger?.data[0]?.balance ?? null, now),
    now,
  );
};

const leftTile = (balance: Balance | null, now: number): Tile => {
  if (!balance) return unknownTile('unknown');
  const at = balance.exhausted_at;
  if (balance.left_bytes <= 0) return { figure: bytes(balance.left_bytes), note: badge('bad', 'used up') };
  return {
    figure: bytes(balance.left_bytes),
    note:
      at === null
        ? quiet(FORECASTS[balance.forecast])
        : html`${quiet('runs out')} ${dateAndDistance(at, now)}`,
  };
};

const testTile = ({ faults, targets }: SummaryData, now: number): Tile => {
  if (faults === undefined || targets === undefined) return LOADING;
  if (faults === 'unknown') return ERROR;
  return withFreshnessNote(leastFresh(faults?.freshness ?? []), () => faultTile(faults, targets), now);
};

const faultTile = (
  faults: CountedPage<Fault> | null,
  targets: Page<UptimeHistory> | null | Unknown,
): Tile => {
  const found = faults?.total ?? 0;
  if (found > 0) return { figure: count(found), note: badge('bad', found === 1 ? 'fault' : 'faults') };
  if (targets === 'unknown') return ERROR;
  const isTested = targets?.data.some(({ hours }) => uptimeOf(hours) !== 'none') ?? false;
  return isTested ? { figure: 'OK', note: badge('good', 'no fault') } : unknownTile('no results in 24 hours');
};
