// Shows the figures at the top of the page, each with a link to the section that has the details.

import { isMonitored, SECTION_COLLECTORS, type Section } from '../address.ts';
import type {
  AlertGroups,
  Collector,
  Faults,
  Freshness,
  Ledger,
  Page,
  Service,
  Traffic,
  Unknown,
  UptimeHistory,
  UserSummary,
} from '../answers.ts';
import { badge, dateAndDistance, quiet } from '../components.ts';
import { bytes, compactCount, count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
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
  /** Why the daemon is not ready. */
  readonly notReady?: readonly string[];
  /** The names of the collectors that are on; undefined for all. */
  readonly monitored?: readonly string[];
  readonly collectors?: readonly Collector[] | Unknown;
  /** The firing alerts of other accounts. */
  readonly others?: readonly {
    readonly name: string;
    readonly firing: number;
    readonly severity: string | null;
  }[];
  readonly alerts?: AlertGroups | Unknown;
  readonly traffic?: Traffic | null | Unknown;
  readonly users?: UserSummary | null | Unknown;
  readonly ledger?: Page<Ledger> | null | Unknown;
  readonly services?: Page<Service> | null | Unknown;
  readonly faults?: Faults | null | Unknown;
  readonly targets?: Page<UptimeHistory> | null | Unknown;
}

/** Shows the tiles of the collectors that are on. */
export const summaryView = (data: SummaryData, now: number): Markup => {
  const tiles = Object.entries(TILES).filter(([section]) =>
    isMonitored(SECTION_COLLECTORS[section as Section], data.monitored),
  );
  return html`<dl class="tiles">${tiles.map(([section, [name, content]]) =>
    tile(section, name, data.isConfigured === false ? REMOVED : content(data, now)),
  )}</dl>`;
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

const trafficTile = ({ traffic }: SummaryData, now: number): Tile => {
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

const quotaTile = ({ users }: SummaryData, now: number): Tile => {
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

const balanceTile = ({ ledger }: SummaryData, now: number): Tile => {
  if (ledger === undefined) return LOADING;
  if (ledger === 'unknown') return ERROR;
  return withFreshnessNote(ledger?.freshness?.[0], () => leftTile(ledger?.data[0], now), now);
};

const leftTile = (ledger: Ledger | undefined, now: number): Tile => {
  if (!ledger?.balance) return unknownTile('unknown');
  const { balance } = ledger;
  const at = balance.exhausted_at;
  const figure = bytes(balance.left_bytes);
  if (ledger.is_exhausted) return { figure, note: badge('bad', 'used up') };
  return {
    figure,
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

const faultTile = (faults: Faults | null, targets: Page<UptimeHistory> | null | Unknown): Tile => {
  const found = faults?.total ?? 0;
  // The fault of a tester is only a notice.
  const level = found === faults?.total_by_kind.tester ? 'none' : 'bad';
  if (found > 0) return { figure: count(found), note: badge(level, found === 1 ? 'fault' : 'faults') };
  if (targets === 'unknown') return ERROR;
  return isTested(targets)
    ? { figure: 'OK', note: badge('good', 'no fault') }
    : unknownTile('no results in 24 hours');
};

/** Whether a test had a result in the last 24 hours. */
export const isTested = (targets: Page<UptimeHistory> | null): boolean =>
  targets?.data.some(({ hours }) => uptimeOf(hours) !== 'none') ?? false;

const TILES: Readonly<
  Record<string, readonly [name: string, content: (data: SummaryData, now: number) => Tile]>
> = {
  traffic: ['Traffic, 24 hours', trafficTile],
  quotas: ['Quotas', quotaTile],
  balance: ['Residential balance', balanceTile],
  tests: ['Proxy tests', testTile],
};
