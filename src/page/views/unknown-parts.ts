// Says what the page does not know, so that the sentence at the top is not green.

import type { Collector, Freshness, Page, Unknown, UptimeHistory } from '../answers.ts';
import { ago } from '../components.ts';
import { count } from '../format.ts';
import { html, type Value } from '../html.ts';
import { isStopped } from './alerts.ts';
import type { OverviewData } from './overview-data.ts';
import { uptimeOf } from './uptime.ts';

export const unknownParts = (data: OverviewData, now: number): Value[] => {
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
