// Shows what is wrong in one sentence, which is not green while something is unknown, and what needs a person.

import { addressOf } from '../address.ts';
import type { Collector, Freshness, Page, Status, Unknown, UptimeHistory } from '../answers.ts';
import { ago, badge, type Level, localTime } from '../components.ts';
import { count } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';
import { evaluationNote, isStopped, levelOf } from './alerts.ts';
import { causeTable, titleOf } from './cause-table.ts';
import { type Cause, causesOf } from './causes.ts';
import type { OverviewData } from './signs.ts';
import { uptimeOf } from './uptime.ts';

const unknownParts = (data: OverviewData, now: number): Value[] => {
  if (data.isConfigured === false)
    return [html`<a href="./">The configuration no longer has this account</a>`];
  const { alerts, collectors, users, ledger, mobileLedger, faults, targets, services, traffic } = data;
  const answers = [alerts, collectors, users, ledger, mobileLedger, faults, targets, services, traffic];
  return [
    ...(data.notReady?.length ? [html`<a href="#notices">The daemon is not ready</a>`] : []),
    ...alertParts(alerts, now),
    ...collectorParts(collectors),
    ...valueParts(data),
    ...(answers.includes('unknown')
      ? [html`<a href="#content">The daemon reported an error, so a part is unknown</a>`]
      : []),
    ...(answers.includes(undefined) ? [html`<a href="#content">A part is not read yet</a>`] : []),
  ];
};

const alertParts = (alerts: OverviewData['alerts'], now: number): Value[] => {
  if (alerts === undefined || alerts === 'unknown') return [];
  // Verdicts know only some of what alerts report, and nothing of other accounts.
  if (!alerts.evaluated) return [html`<a href="#alert-note">This daemon does not evaluate alerts</a>`];
  if (alerts.evaluated_at === null) return [html`<a href="#overview">Alerts are not evaluated yet</a>`];
  return isStopped(alerts.evaluated_at, now)
    ? [html`<a href="#overview">The daemon last evaluated alerts ${ago(alerts.evaluated_at, now)}</a>`]
    : [];
};

const collectorParts = (collectors: readonly Collector[] | Unknown | undefined): Value[] => {
  if (collectors === undefined || collectors === 'unknown') return [];
  if (collectors.length === 0) return [html`<a href="#collectors">Nothing is monitored</a>`];
  const unknown = collectors.filter(({ data_state: state }) => state !== 'current').length;
  if (unknown === 0) return [];
  const text = `${count(unknown)} of ${count(collectors.length)} collectors ${unknown === 1 ? 'has' : 'have'} no current data`;
  return [html`<a href="#collectors">${text}</a>`];
};

/** Whether a test had a result in the last 24 hours. */
const isTested = (targets: Page<UptimeHistory> | null): boolean =>
  targets?.data.some(({ hours }) => uptimeOf(hours) !== 'none') ?? false;

interface Answer {
  readonly freshness?: readonly Freshness[] | undefined;
}

/** Returns the answer if its data is current. `collectorParts` says that other data is not. */
const currentOf = <T extends Answer>(answer: T | null | Unknown | undefined): T | null =>
  answer && answer !== 'unknown' && (answer.freshness ?? []).every(({ state }) => state === 'current')
    ? answer
    : null;

/** Says which values are unknown although the data is current. */
const valueParts = ({ users, ledger, mobileLedger, faults, targets, services }: OverviewData): Value[] => {
  const quotas = currentOf(users)?.data.flatMap(({ states }) => states ?? []) ?? [];
  const knownQuotas = quotas.flatMap(({ unknown: _, ...known }) => Object.values(known));
  const areQuotasUnknown =
    quotas.some(({ unknown }) => unknown > 0) && !knownQuotas.some((amount) => amount > 0);
  const isBalanceUnknown = (of: OverviewData['ledger']): boolean =>
    currentOf(of)?.data.some((each) => !each.balance && each.unread_rows !== 0) ?? false;
  const areTestsUnknown =
    currentOf(faults) && targets !== undefined && targets !== 'unknown' && !isTested(targets);
  const { length: withoutStatus } =
    currentOf(services)?.data.filter(({ effective_status: status }) => status === 'unknown') ?? [];
  return [
    areQuotasUnknown ? html`<a href="#quotas">All quotas are unknown</a>` : [],
    isBalanceUnknown(ledger) ? html`<a href="#balance">The residential balance is unknown</a>` : [],
    isBalanceUnknown(mobileLedger) ? html`<a href="#mobile-balance">The mobile balance is unknown</a>` : [],
    areTestsUnknown ? html`<a href="#tests">No test has had a result for 24 hours</a>` : [],
    withoutStatus > 0
      ? html`<a href="#market">${count(withoutStatus)} ${withoutStatus === 1 ? 'service has' : 'services have'} an unknown status</a>`
      : [],
  ].flat();
};

/** Returns what the status says about an account, with other answers. */
export const overviewAnswers = (
  { accounts, not_ready_reasons: notReady }: Pick<Status, 'accounts' | 'not_ready_reasons'>,
  account: string,
  answers: Pick<OverviewData, 'alerts'> = {},
): OverviewData => {
  const collectors = accounts.find(({ name }) => name === account)?.collectors;
  const others = accounts.flatMap(({ name, alerts }) =>
    name === account || !alerts.firing
      ? []
      : [{ name, firing: alerts.firing, severity: alerts.worst_severity }],
  );
  return {
    account,
    isConfigured: collectors !== undefined,
    ...{ others, notReady },
    ...(collectors && { collectors }),
    ...answers,
  };
};

export const overviewView = (data: OverviewData, now: number): Markup => {
  const causes = causesOf(data, now);
  return html`<section class="card" aria-label="What is wrong">${headlineView(data, causes, now)}
<h2 id="alerts" class="unseen">Alerts</h2><div id="alert-list">${causes.length > 0 || knowsAlerts(data.alerts, now) ? causeTable(causes, { account: data.account ?? '', now, silences: data.silences }) : null}</div></section>`;
};

/** Whether the daemon evaluates the alerts, and has done so recently. */
const knowsAlerts = (alerts: OverviewData['alerts'], now: number): boolean =>
  alerts !== undefined && alerts !== 'unknown' && evaluationNote(alerts, now) === null;

const MAX_PARTS = 5;

/** It is green only if everything that is monitored is known, current and without fault. */
export const headlineView = (data: OverviewData, causes: readonly Cause[], now: number): Markup => {
  const firing = causes.filter(({ state }) => state === 'firing');
  const problems = firing.filter(({ level }) => level !== 'none');
  // Notices are only counted beside problems.
  const named = problems.length > 0 ? problems : firing;
  const notices = firing.length - named.length;
  const rest = [
    ...more(named.length - MAX_PARTS, problems.length > 0 ? 'more cause' : 'more notice'),
    ...more(notices, 'notice'),
    ...more(causes.filter(({ state }) => state === 'pending').length, 'pending cause'),
    ...more(causes.filter(({ state }) => state === 'silenced').length, 'silenced cause'),
  ];
  const unknown = unknownParts(data, now);
  const { others = [] } = data;
  const isCalm = causes.length === 0 && others.length === 0;
  const isGood = isCalm && unknown.length === 0;
  const levels = [
    ...problems.map(({ level }) => level),
    levelOf(others.map(({ severity }) => severity ?? '')),
  ];
  const level: Level = isGood ? 'good' : (LEVELS.find((each) => levels.includes(each)) ?? 'none');
  const parts = [
    ...named.slice(0, MAX_PARTS).map((cause) => titleOf(cause, data.account ?? '')),
    ...rest,
    ...(isGood ? ['Everything that is monitored works'] : []),
    ...(isCalm && !isGood ? ['No fault is known'] : []),
    ...others.slice(0, MAX_PARTS).map(otherPart),
    ...more(others.length - MAX_PARTS, 'more account'),
    ...unknown,
    ...balanceParts(data, now),
  ];
  return html`<p class="headline ${level}">${badge(level, level === 'none' ? calmWord(unknown, causes, others) : WORDS[level])} ${parts.map((part) => html`<span>${part}.</span> `)}</p>`;
};

const LEVELS: readonly Level[] = ['bad', 'fair'];

const otherPart = ({ name, firing }: NonNullable<OverviewData['others']>[number]): Value =>
  html`<a href="${addressOf({ account: name, view: 'account', id: '' })}">${count(firing)} ${firing === 1 ? 'alert fires' : 'alerts fire'} in account ${name}</a>`;

const WORDS = { bad: 'Urgent', fair: 'Needs you', good: 'OK' } as const;

/** Says why the sentence is not green although nothing needs a person. */
const calmWord = (
  unknown: readonly Value[],
  [first]: readonly Cause[],
  others: readonly unknown[],
): string => {
  if (unknown.length > 0) return 'Not sure';
  // Causes that fire are the first ones, and those that are silenced the last ones.
  return STATE_WORDS[first === undefined || others.length > 0 ? 'firing' : first.state];
};

const STATE_WORDS = { firing: 'Notice', pending: 'Pending', silenced: 'Silenced' } as const;

const more = (amount: number, name: string): Value[] =>
  amount > 0 ? [html`<a href="#alerts">${count(amount)} ${name}${amount === 1 ? '' : 's'}</a>`] : [];

/** Says when the bytes end, if that is known. */
const balanceParts = ({ ledger, mobileLedger }: OverviewData, now: number): Value[] => {
  const part = (of: OverviewData['ledger'], section: string, name: string): Value[] => {
    const balance = of && of !== 'unknown' ? of.data[0]?.balance : null;
    const at = balance && balance.left_bytes > 0 ? Date.parse(balance.exhausted_at ?? '') : Number.NaN;
    return at > now ? [html`<a href="#${section}">${name} lasts until ${localTime(at, 'day')}</a>`] : [];
  };
  return [
    ...part(ledger, 'balance', 'The balance'),
    ...part(mobileLedger, 'mobile-balance', 'The mobile balance'),
  ];
};
