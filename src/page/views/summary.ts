// The figures at the top: what an operator wants to know first, each with a way to the part that tells more.

import type { Collector, Fault, Ledger, Page, Status, Strip, Traffic, UserSummary } from '../answers.ts';
import { bytes, count, short } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { badge, day, quiet } from '../parts.ts';
import { levelOf } from './alerts.ts';
import { failedWords } from './traffic.ts';

/** What has been answered so far; null where the daemon does not know of it. */
export interface Known {
  readonly collectors?: readonly Collector[];
  readonly status?: Status;
  readonly traffic?: Traffic | null;
  readonly users?: UserSummary | null;
  readonly ledger?: Page<Ledger> | null;
  readonly faults?: Page<Fault> | null;
  readonly targets?: Page<Strip> | null;
}

export const summaryView = (known: Known, now: number): Markup => html`<dl class="tiles">
${tile('alerts', 'Alerts', alertTile(known.status))}
${tile('collectors', 'Collectors', collectorTile(known.collectors))}
${tile('traffic', 'Traffic, 24 hours', trafficTile(known.traffic))}
${tile('quotas', 'Quotas', quotaTile(known.users))}
${tile('balance', 'Residential balance', balanceTile(known.ledger, now))}
${tile('tests', 'Proxy tests', testTile(known))}
</dl>`;

interface Tile {
  readonly figure: Value;
  readonly note: Value;
}

const tile = (part: string, name: string, { figure, note }: Tile): Markup =>
  html`<div class="tile"><dt><a href="#${part}">${name}</a></dt><dd><span class="figure">${figure}</span> <span class="note">${note}</span></dd></div>`;

const WAITING: Tile = { figure: '…', note: '' };

const none = (note: string): Tile => ({ figure: '–', note });

const alertTile = (status: Known['status']): Tile => {
  if (!status) return WAITING;
  if (!status.alerts_evaluated) return none('not evaluated here');
  const { alerts_firing: firing, alerts_pending: pending } = status;
  const level = firing === 0 ? 'good' : levelOf(status.alerts.map(({ severity }) => severity));
  return {
    figure: firing === 0 ? 'None' : count(firing),
    note: html`${badge(level, 'firing')} ${pending === 0 ? null : quiet(`${count(pending)} pending`)}`,
  };
};

const collectorTile = (collectors: Known['collectors']): Tile => {
  if (!collectors) return WAITING;
  const isBad = ({ result }: Collector): boolean => result === 'failed' || result === 'partial';
  const bad = collectors.filter(isBad);
  const waiting = collectors.filter(({ result }) => result === null).length;
  const figure = `${collectors.length - bad.length - waiting} of ${collectors.length}`;
  if (bad.length > 0) return { figure, note: badge('bad', bad.map(({ name }) => name).join(', ')) };
  return { figure, note: waiting > 0 ? badge('none', `${waiting} not run yet`) : badge('good', 'all OK') };
};

const trafficTile = (traffic: Known['traffic']): Tile => {
  if (traffic === undefined) return WAITING;
  if (!traffic || traffic.totals.bytes === null) return none('nothing read yet');
  const { totals } = traffic;
  return {
    figure: bytes(traffic.totals.bytes),
    note: quiet(`${short(totals.requests ?? 0)} requests, ${failedWords(totals)} failed`),
  };
};

const quotaTile = (users: Known['users']): Tile => {
  if (users === undefined) return WAITING;
  if (!users || users.data.length === 0) return none('not polled');
  const sum = (state: 'exhausted' | 'soon' | 'low'): number =>
    users.data.reduce((total, { states }) => total + states[state], 0);
  const [exhausted, soon, low] = [sum('exhausted'), sum('soon'), sum('low')];
  if (exhausted + soon + low === 0) return { figure: 'OK', note: badge('good', 'none is low') };
  const rest = [soon > 0 ? `${short(soon)} soon` : [], low > 0 ? `${short(low)} low` : []].flat().join(', ');
  if (exhausted === 0) return { figure: short(soon + low), note: badge('fair', rest) };
  return { figure: short(exhausted), note: html`${badge('bad', 'exhausted')} ${quiet(rest)}` };
};

const balanceTile = (ledger: Known['ledger'], now: number): Tile => {
  if (ledger === undefined) return WAITING;
  const balance = ledger?.data[0]?.balance;
  if (!balance) return none('not known');
  const at = balance.exhausted_at;
  if (balance.left_bytes <= 0) return { figure: bytes(balance.left_bytes), note: badge('bad', 'used up') };
  return {
    figure: bytes(balance.left_bytes),
    note: at === null ? quiet('not being used') : html`${quiet('until')} ${day(at, now)}`,
  };
};

const testTile = ({ faults, targets }: Known): Tile => {
  if (faults === undefined || targets === undefined) return WAITING;
  if (!targets || targets.data.length === 0) return none('no tests are made');
  const found = faults?.data.length ?? 0;
  if (found === 0) return { figure: 'OK', note: badge('good', 'no fault') };
  return {
    figure: `${found}${faults?.next_cursor ? '+' : ''}`,
    note: badge('bad', found === 1 ? 'fault' : 'faults'),
  };
};
