// Finds what proxywatch knows to be wrong from verdicts and states, in the form of the alerts that report the same.

import type { AlertGroup, Collector, Service } from '../answers.ts';
import { causeOf } from './alert-words.ts';
import type { OverviewData } from './overview-data.ts';

export type Example = Pick<AlertGroup['examples'][number], 'labels' | 'summary'> &
  Partial<Pick<AlertGroup['examples'][number], 'description' | 'runbook' | 'silenced_by'>>;

/** Alerts of one name, or a verdict that no alert of this name reports. */
export interface Sign extends Pick<AlertGroup, 'alert' | 'severity' | 'state' | 'count' | 'silenced_until'> {
  /** Null if it is unknown. */
  readonly since: string | null;
  readonly examples: readonly Example[];
  /** Null for a verdict, of which nobody is notified. */
  readonly receivers: AlertGroup['receivers'] | null;
  /** Null for a verdict. */
  readonly group: AlertGroup | null;
}

export const groupsOf = (alerts: OverviewData['alerts']): readonly AlertGroup[] =>
  alerts === undefined || alerts === 'unknown' ? [] : alerts.data;

export const servicesOf = ({ services }: OverviewData): readonly Service[] =>
  services && services !== 'unknown' ? services.data : [];

/** The same may have an alert too, unless the daemon evaluates none, or this one is off. */
export const verdicts = (data: OverviewData, now: number): Sign[] => [
  ...faultSigns(data),
  ...quotaSigns(data),
  ...balanceSigns(data),
  ...serviceSigns(data, now),
  ...collectorSigns(data),
];

const verdict = (alert: string, examples: readonly Example[], part: Partial<Sign> = {}): Sign => ({
  ...{ alert, severity: 'warning', state: 'firing', count: examples.length, silenced_until: null },
  ...{ since: null, examples, receivers: null, group: null },
  ...part,
});

const FAULT_ALERTS = {
  proxy: 'ProxyFailing',
  access: 'ProxyUnusableHere',
  target: 'ProxyTargetBlocked',
  tester: 'ProxyTesterFailing',
  provider: 'ProviderOutage',
} as const;

const FAULT_LABELS = { proxy: 'proxy_id', access: 'proxy_id', target: 'url', tester: 'tester_server' };

const faultSigns = ({ faults, account = '' }: OverviewData): Sign[] => {
  if (!faults || faults === 'unknown') return [];
  return [...Map.groupBy(faults.data, ({ kind }) => kind)].map(([kind, found]) => {
    const label = kind === 'provider' ? {} : { [FAULT_LABELS[kind]]: '' };
    const examples = found.map(({ subject, reason }) => ({
      labels: { account, ...Object.fromEntries(Object.keys(label).map((name) => [name, subject])) },
      summary: reason ?? '',
    }));
    const severity = kind === 'provider' ? 'critical' : kind === 'tester' ? 'info' : 'warning';
    // The list has its first page only, which ends in the last kind.
    const rest = kind === faults.data.at(-1)?.kind ? faults.total - faults.data.length : 0;
    const since = found.map((each) => each.since).sort()[0] ?? null;
    return verdict(FAULT_ALERTS[kind], examples, { severity, since, count: found.length + rest });
  });
};

const QUOTA_ALERTS = {
  exhausted: 'ProxyUserQuotaExhausted',
  low: 'ProxyUserQuotaLow',
  soon: 'ProxyUserQuotaExhaustionSoon',
} as const;

const quotaSigns = ({ users }: OverviewData): Sign[] => {
  if (!users || users === 'unknown') return [];
  return (Object.keys(QUOTA_ALERTS) as (keyof typeof QUOTA_ALERTS)[]).flatMap((state) => {
    const found = users.data.reduce((sum, { states }) => sum + (states?.[state] ?? 0), 0);
    return found === 0 ? [] : verdict(QUOTA_ALERTS[state], [], { count: found });
  });
};

const balanceSigns = ({ ledger }: OverviewData): Sign[] => {
  if (!ledger || ledger === 'unknown') return [];
  return ledger.data.flatMap(({ balance }) =>
    balance && balance.left_bytes <= 0 && balance.forecast !== 'not_used'
      ? verdict('ResidentialBalanceExhausted', [], { count: 1, severity: 'critical' })
      : [],
  );
};

const serviceSigns = (data: OverviewData, now: number): Sign[] =>
  SERVICE_PROBLEMS.flatMap(([alert, severity, isProblem]) => {
    const found = servicesOf(data).filter((service) => isProblem(service, now));
    const examples = found.map(({ account, service_id }) => ({
      labels: { account, service_id },
      summary: '',
    }));
    return found.length === 0 ? [] : verdict(alert, examples, { severity });
  });

/** The default threshold of ServiceExpiringSoon. */
const SOON_MS = 7 * 24 * 3_600_000;

type ServiceProblem = (service: Service, now: number) => boolean;

const isEnding: ServiceProblem = (service, now) =>
  service.expires_at !== null &&
  Date.parse(service.expires_at) < now + SOON_MS &&
  (service.is_automatic_collection === false || service.has_open_invoice === true);

/** As in ServiceNotActive. */
const SOUND_STATUSES = /^(active|paused|complete|awaiting)/;

const SERVICE_PROBLEMS: readonly (readonly [alert: string, severity: string, ServiceProblem])[] = [
  ['ServiceExpiringSoon', 'warning', isEnding],
  ['ServiceNotActive', 'warning', ({ status }) => status !== null && !SOUND_STATUSES.test(status)],
  ['ServicePaused', 'warning', ({ is_paused: isPaused }) => isPaused === true],
  [
    'ServiceProxiesMissing',
    'warning',
    ({ proxies, quantity, status }) =>
      status === 'active' && proxies !== null && (proxies.in_use ?? 0) < (quantity ?? 0),
  ],
  ['ServicePendingCancellation', 'info', ({ is_pending_cancellation: isPending }) => isPending === true],
];

/** What a fault of the provider explains is not said again. */
const collectorSigns = ({ collectors, alerts, account = '' }: OverviewData): Sign[] => {
  const isExplained = groupsOf(alerts).some(({ alert }) => ['keys', 'provider'].includes(causeOf(alert)));
  if (!collectors || collectors === 'unknown' || isExplained) return [];
  const sign = (alert: string, isBad: (collector: Collector) => boolean): Sign[] => {
    const found = collectors.filter(isBad).map(({ name, error }) => ({
      labels: { account, collector: name },
      summary: error === null ? '' : `${error.kind}: ${error.message}`,
    }));
    return found.length === 0 ? [] : [verdict(alert, found)];
  };
  return [
    ...sign('CollectorFailing', ({ result }) => result === 'failed'),
    ...sign('PartsFailing', ({ result }) => result === 'partial'),
    ...sign('DataStale', ({ result, data_state: state }) => result === 'ok' && state === 'stale'),
  ];
};
