// Says in one sentence what is wrong. It is green only if everything that is monitored is known, current and without fault.

import { addressOf } from '../address.ts';
import type { Collector } from '../answers.ts';
import { ago, badge, type Level, localTime } from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { isStopped, levelOf } from './alerts.ts';
import { titleOf } from './cause-table.ts';
import type { Cause } from './causes.ts';
import type { OverviewData } from './overview-data.ts';

const MAX_PARTS = 5;

export const headlineView = (data: OverviewData, causes: readonly Cause[], now: number): Markup => {
  const firing = causes.filter(({ state }) => state === 'firing');
  const named = firing.filter(({ level }) => level !== 'none');
  const notices = firing.length - named.length;
  const rest = [
    ...more(named.length - MAX_PARTS, 'more cause'),
    ...more(notices, 'notice'),
    ...more(causes.filter(({ state }) => state === 'pending').length, 'pending cause'),
    ...more(causes.filter(({ state }) => state === 'silenced').length, 'silenced cause'),
  ];
  const unknown = unknownParts(data, now);
  const isGood = causes.length === 0 && unknown.length === 0 && !data.others?.length;
  const { others = [] } = data;
  const levels = [...named.map(({ level }) => level), levelOf(others.map(({ severity }) => severity ?? ''))];
  const level: Level = isGood ? 'good' : (LEVELS.find((each) => levels.includes(each)) ?? 'none');
  const parts = [
    ...named.slice(0, MAX_PARTS).map(titleOf),
    ...rest,
    ...(isGood ? ['Everything that is monitored works'] : []),
    ...(named.length === 0 && !isGood ? [html`No fault is known`] : []),
    ...others.slice(0, MAX_PARTS).map(otherPart),
    ...more(others.length - MAX_PARTS, 'more account'),
    ...unknown,
    ...balancePart(data, now),
  ];
  return html`<p class="headline ${level}">${badge(level, WORDS[level])} ${parts.map((part) => html`<span>${part}.</span> `)}</p>`;
};

const LEVELS: readonly Level[] = ['bad', 'fair'];

const otherPart = ({ name, firing }: NonNullable<OverviewData['others']>[number]): Value =>
  html`<a href="${addressOf({ account: name, view: 'account', id: '' })}">${count(firing)} ${firing === 1 ? 'alert fires' : 'alerts fire'} in account ${name}</a>`;

const WORDS = { bad: 'Urgent', fair: 'Needs you', none: 'Not sure', good: 'OK' } as const;

const more = (amount: number, name: string): Value[] =>
  amount > 0 ? [html`<a href="#alerts">${count(amount)} ${name}${amount === 1 ? '' : 's'}</a>`] : [];

/** Says when the bytes end, if that is known. */
const balancePart = ({ ledger }: OverviewData, now: number): Value[] => {
  const balance = ledger && ledger !== 'unknown' ? ledger.data[0]?.balance : null;
  const at = balance && balance.left_bytes > 0 ? Date.parse(balance.exhausted_at ?? '') : Number.NaN;
  return at > now ? [html`<a href="#balance">The balance lasts until ${localTime(at, 'day')}</a>`] : [];
};

/** Says what the page does not know. */
const unknownParts = (data: OverviewData, now: number): Value[] => {
  if (data.isConfigured === false) return ['The configuration no longer has this account'];
  const answers = [
    data.alerts,
    data.collectors,
    data.users,
    data.ledger,
    data.faults,
    data.services,
    data.traffic,
  ];
  return [
    ...alertParts(data.alerts, now),
    ...collectorParts(data.collectors),
    ...(answers.includes('unknown') ? ['The daemon reported an error, so a part is unknown'] : []),
    ...(answers.includes(undefined) ? ['A part is not read yet'] : []),
  ];
};

const alertParts = (alerts: OverviewData['alerts'], now: number): Value[] => {
  if (alerts === undefined || alerts === 'unknown') return [];
  if (!alerts.evaluated) return ['This daemon does not evaluate alerts'];
  if (alerts.evaluated_at === null) return ['Alerts are not evaluated yet'];
  return isStopped(alerts.evaluated_at, now)
    ? [html`The daemon last evaluated alerts ${ago(alerts.evaluated_at, now)}`]
    : [];
};

const collectorParts = (collectors: readonly Collector[] | 'unknown' | undefined): Value[] => {
  if (collectors === undefined || collectors === 'unknown') return [];
  if (collectors.length === 0) return ['Nothing is monitored'];
  const unknown = collectors.filter(({ data_state: state }) => state !== 'current').length;
  if (unknown === 0) return [];
  const text = `${count(unknown)} of ${count(collectors.length)} collectors have no current data`;
  return [html`<a href="#collectors">${text}</a>`];
};
