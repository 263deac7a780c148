// The figures at the top: what an operator wants to know first, each with a way to the part that tells more.

import type {
  Balance,
  Collector,
  Fault,
  Freshness,
  Ledger,
  Page,
  Status,
  Strip,
  Traffic,
  UserSummary,
} from '../answers.ts';
import { bytes, count, short } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { badge, day, quiet } from '../parts.ts';
import { levelOf } from './alerts.ts';
import { FORECASTS } from './balance.ts';
import { uptimeOf } from './bar.ts';
import { freshnessNote, isUnknown } from './freshness.ts';
import { failedWords, sumOf } from './traffic.ts';

/** What has been answered so far; null where the daemon does not know of it. */
export interface Known {
  /** Whose page it is. */
  readonly account?: string;
  readonly collectors?: readonly Collector[];
  readonly status?: Status;
  readonly traffic?: Traffic | null;
  readonly users?: UserSummary | null;
  readonly ledger?: Page<Ledger> | null;
  readonly faults?: Page<Fault> | null;
  readonly targets?: Page<Strip> | null;
}

export const summaryView = (known: Known, now: number): Markup => html`<dl class="tiles">
${tile('alerts', 'Alerts', alertTile(known))}
${tile('collectors', 'Collectors', collectorTile(known.collectors))}
${tile('traffic', 'Traffic, 24 hours', trafficTile(known.traffic, now))}
${tile('quotas', 'Quotas', quotaTile(known.users, now))}
${tile('balance', 'Residential balance', balanceTile(known.ledger, now))}
${tile('tests', 'Proxy tests', testTile(known, now))}
</dl>`;

interface Tile {
  readonly figure: Value;
  readonly note: Value;
}

const tile = (part: string, name: string, { figure, note }: Tile): Markup =>
  html`<div class="tile"><dt><a href="#${part}">${name}</a></dt><dd><span class="figure">${figure}</span> <span class="note">${note}</span></dd></div>`;

const WAITING: Tile = { figure: '…', note: '' };

const none = (note: string): Tile => ({ figure: '–', note: badge('none', note) });

/** The figure as it is while its data is current; else with its age, or a dash where nothing is known. */
const asKnown = (known: Freshness | undefined, tile: () => Tile, now: number): Tile => {
  const note = freshnessNote(known, now);
  if (!note) return tile();
  return { figure: isUnknown(known) ? '–' : tile().figure, note };
};

/** Those of the account and of the daemon, which concern each account; others are only counted. */
const alertTile = ({ status, account, collectors = [] }: Known): Tile => {
  const own = status?.accounts.find(({ name }) => name === account)?.alerts;
  if (!status || !own) return WAITING;
  if (!status.alerts_evaluated) return none('not evaluated here');
  const firing = sumOf([own.firing, status.daemon_alerts.firing]);
  if (firing === null || status.alerts_firing === null) return none('no data yet');
  const pending = sumOf([own.pending, status.daemon_alerts.pending]) ?? 0;
  const others = status.alerts_firing - firing;
  const notes = [
    pending > 0 ? `${count(pending)} pending` : [],
    others > 0 ? `${count(others)} in other accounts` : [],
  ];
  const severities = [own.worst_severity, status.daemon_alerts.worst_severity].flatMap((each) => each ?? []);
  return {
    figure: firing === 0 ? 'None' : count(firing),
    note: html`${firing > 0 ? badge(levelOf(severities), 'firing') : noneFiring(collectors)} ${quiet(notes.flat().join(', '))}`,
  };
};

/** Nothing fires of what nobody has read. */
const noneFiring = (collectors: readonly Collector[]): Markup => {
  const unknown = collectors.filter(({ data_state: state }) => state !== 'current').length;
  if (collectors.length === 0) return badge('none', 'firing; nothing is monitored');
  return unknown === 0
    ? badge('good', 'firing')
    : badge('none', `firing; ${unknown} of ${collectors.length} collectors without current data`);
};

const collectorTile = (collectors: Known['collectors']): Tile => {
  if (!collectors) return WAITING;
  const bad = collectors.filter(({ result }) => result === 'failed' || result === 'partial');
  const rest = collectors.filter((each) => !bad.includes(each));
  const stale = rest.filter(({ data_state: state }) => state === 'stale').length;
  const unread = rest.filter(({ data_state: state }) => state === 'no_data').length;
  const figure = `${rest.length - stale - unread} of ${collectors.length}`;
  if (collectors.length === 0) return none('not monitored');
  if (bad.length > 0) return { figure, note: badge('bad', bad.map(({ name }) => name).join(', ')) };
  if (stale > 0) return { figure, note: badge('fair', `${stale} stale`) };
  return { figure, note: unread > 0 ? badge('none', `${unread} without data yet`) : badge('good', 'all OK') };
};

const trafficTile = (traffic: Known['traffic'], now: number): Tile => {
  if (traffic === undefined) return WAITING;
  if (!traffic) return none('not monitored');
  const { totals } = traffic;
  const tile = (): Tile =>
    totals.bytes === null
      ? none('no traffic was given')
      : { figure: bytes(totals.bytes), note: quiet(requestWords(totals)) };
  return asKnown(traffic.freshness[0], tile, now);
};

const requestWords = (totals: Traffic['totals']): string =>
  totals.requests === null
    ? 'requests are not known'
    : `${short(totals.requests)} requests, ${failedWords(totals)} failed`;

type QuotaStates = NonNullable<UserSummary['data'][number]['states']>;

const quotaTile = (users: Known['users'], now: number): Tile => {
  if (users === undefined) return WAITING;
  if (!users) return none('not monitored');
  const tile = (): Tile => {
    const states = users.data.flatMap(({ states }) => states ?? []);
    return states.length === 0 ? none('no data yet') : standingTile(states);
  };
  return asKnown(users.freshness[0], tile, now);
};

const standingTile = (states: readonly QuotaStates[]): Tile => {
  const sum = (of: readonly (keyof QuotaStates)[]): number =>
    states.reduce((total, each) => total + of.reduce((some, state) => some + each[state], 0), 0);
  const [exhausted, soon, low] = [sum(['exhausted']), sum(['soon']), sum(['low'])];
  if (exhausted + soon + low === 0) return fineTile(sum(['ok', 'unlimited']), sum(['unknown']));
  const rest = [soon > 0 ? `${short(soon)} soon` : [], low > 0 ? `${short(low)} low` : []].flat().join(', ');
  if (exhausted === 0) return { figure: short(soon + low), note: badge('fair', rest) };
  return { figure: short(exhausted), note: html`${badge('bad', 'exhausted')} ${quiet(rest)}` };
};

/** A quota whose limit or use is not known is not fine. */
const fineTile = (fine: number, unknown: number): Tile => {
  if (fine === 0) return none(unknown === 0 ? 'no users' : 'no quota is known');
  const rest = unknown === 0 ? null : quiet(`${short(unknown)} not known`);
  return { figure: 'OK', note: html`${badge('good', 'none is low')} ${rest}` };
};

const balanceTile = (ledger: Known['ledger'], now: number): Tile => {
  if (ledger === undefined) return WAITING;
  return asKnown(ledger?.freshness?.[0], () => leftTile(ledger?.data[0]?.balance ?? null, now), now);
};

const leftTile = (balance: Balance | null, now: number): Tile => {
  if (!balance) return none('not known');
  const at = balance.exhausted_at;
  if (balance.left_bytes <= 0) return { figure: bytes(balance.left_bytes), note: badge('bad', 'used up') };
  return {
    figure: bytes(balance.left_bytes),
    note: at === null ? quiet(FORECASTS[balance.forecast]) : html`${quiet('until')} ${day(at, now)}`,
  };
};

const testTile = ({ faults, targets }: Known, now: number): Tile => {
  if (faults === undefined || targets === undefined) return WAITING;
  return asKnown(faults?.freshness?.[0], () => faultTile(faults, targets), now);
};

const faultTile = (faults: Page<Fault> | null, targets: Page<Strip> | null): Tile => {
  const found = faults?.data.length ?? 0;
  if (found > 0) {
    const figure = `${found}${faults?.next_cursor ? '+' : ''}`;
    return { figure, note: badge('bad', found === 1 ? 'fault' : 'faults') };
  }
  const isTested = targets?.data.some(({ hours }) => uptimeOf(hours) !== null) ?? false;
  return isTested ? { figure: 'OK', note: badge('good', 'no fault') } : none('no results in 24 hours');
};
