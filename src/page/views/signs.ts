// Defines the answers that the overview joins, and finds in them what is wrong, in the form of alerts.

import type {
  AlertGroup,
  AlertGroups,
  Collector,
  Faults,
  Ledger,
  Page,
  Service,
  Silence,
  Traffic,
  Unknown,
  UptimeHistory,
  UserSummary,
} from '../answers.ts';

/** The answers so far. An answer is null if the daemon answered 404. */
export interface OverviewData {
  /** The account that the page shows. */
  readonly account?: string;
  /** False if a reload removed the account. */
  readonly isConfigured?: boolean;
  /** Why the daemon is not ready. */
  readonly notReady?: readonly string[];
  readonly collectors?: readonly Collector[] | Unknown;
  readonly others?: readonly {
    readonly name: string;
    readonly firing: number;
    readonly severity: string | null;
  }[];
  readonly alerts?: AlertGroups | Unknown;
  readonly silences?: readonly Silence[];
  readonly traffic?: Traffic | null | Unknown;
  readonly users?: UserSummary | null | Unknown;
  readonly ledger?: Page<Ledger> | null | Unknown;
  readonly mobileLedger?: Page<Ledger> | null | Unknown;
  readonly services?: Page<Service> | null | Unknown;
  readonly faults?: Faults | null | Unknown;
  readonly targets?: Page<UptimeHistory> | null | Unknown;
}

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

/**
 * Returns what proxywatch knows to be wrong, without what another alert or verdict explains. The same may have an alert
 * too, unless the daemon evaluates none, or this one is off.
 */
export const verdicts = (data: OverviewData): Sign[] => {
  const found = [
    ...faultSigns(data),
    ...quotaSigns(data),
    ...balanceSigns(data),
    ...serviceSigns(data),
    ...collectorSigns(data),
  ];
  const active = new Set([...groupsOf(data.alerts), ...found].map(({ alert }) => alert));
  return found.filter(({ alert }) => !SUPPRESSED_BY[alert]?.some((other) => active.has(other)));
};

/** The alerts that suppress all alerts of a name, as the daemon does. */
export const SUPPRESSED_BY: Readonly<Record<string, readonly string[]>> = {
  ProxyFailing: ['ProviderOutage'],
  ProxyUnusableHere: ['ProbesFailingHere', 'ProviderOutage'],
  CollectorFailing: ['ProviderKeysRejected', 'ProviderUnreachable'],
  PartsFailing: ['ProviderKeysRejected'],
  DataStale: ['ProviderKeysRejected', 'ProviderUnreachable'],
};

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

const KINDS = Object.keys(FAULT_ALERTS) as (keyof typeof FAULT_ALERTS)[];

const FAULT_LABELS = { proxy: 'proxy_id', access: 'proxy_id', target: 'url', tester: 'tester_server' };

const faultSigns = ({ faults, account = '' }: OverviewData): Sign[] => {
  if (!faults || faults === 'unknown') return [];
  return KINDS.filter((kind) => faults.total_by_kind[kind] > 0).map((kind) => {
    // The answer has all totals, but not all faults.
    const found = faults.data.filter((each) => each.kind === kind);
    const examples = found.map(({ subject, reason }) => ({
      labels: { account, ...(kind !== 'provider' && { [FAULT_LABELS[kind]]: subject }) },
      summary: reason ?? '',
    }));
    const severity = kind === 'provider' ? 'critical' : kind === 'tester' ? 'info' : 'warning';
    const since = found.map((each) => each.since).sort()[0] ?? null;
    return verdict(FAULT_ALERTS[kind], examples, { severity, since, count: faults.total_by_kind[kind] });
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

const balanceSigns = ({ ledger, mobileLedger }: OverviewData): Sign[] => {
  const sign = (alert: string, of: OverviewData['ledger']): Sign[] =>
    (of && of !== 'unknown' ? of.data : []).flatMap(({ is_exhausted: isExhausted }) =>
      isExhausted ? verdict(alert, [], { count: 1, severity: 'critical' }) : [],
    );
  return [...sign('ResidentialBalanceExhausted', ledger), ...sign('MobileBalanceExhausted', mobileLedger)];
};

const serviceSigns = (data: OverviewData): Sign[] =>
  SERVICE_PROBLEMS.flatMap(([alert, severity, isProblem]) => {
    const found = servicesOf(data).filter(isProblem);
    const examples = found.map(({ account, service_id }) => ({
      labels: { account, service_id },
      summary: '',
    }));
    return found.length === 0 ? [] : verdict(alert, examples, { severity });
  });

const SERVICE_PROBLEMS: readonly (readonly [
  alert: string,
  severity: string,
  isProblem: (service: Service) => boolean,
])[] = [
  ['ServiceExpiringSoon', 'warning', ({ is_expiring: isExpiring }) => isExpiring],
  ['ServiceNotActive', 'warning', ({ effective_status: status }) => status === 'not_active'],
  ['ServicePaused', 'warning', ({ effective_status: status }) => status === 'paused'],
  ['ServiceProxiesMissing', 'warning', ({ lacks_proxies: lacksProxies }) => lacksProxies],
  [
    'ServicePendingCancellation',
    'info',
    ({ is_pending_cancellation: isPending, effective_status: status }) =>
      isPending === true && status !== 'not_active' && status !== 'over',
  ],
];

/** The default threshold of CollectorFailing. */
const FAILING_RUNS = 2;

const collectorSigns = ({ collectors, alerts, account = '' }: OverviewData): Sign[] => {
  if (!collectors || collectors === 'unknown') return [];
  const refused = groupsOf(alerts)
    .filter(({ alert }) => alert === 'TestQuotaRefused')
    .flatMap(({ examples }) => examples.map(({ labels }) => labels.collector));
  const isFailing = ({ failures_in_a_row: failures }: Collector): boolean => failures >= FAILING_RUNS;
  const sign = (alert: string, isBad: (collector: Collector) => boolean): Sign[] => {
    const found = collectors.filter(isBad).map(({ name, error }) => ({
      labels: { account, collector: name },
      summary: error === null ? '' : `${error.kind}: ${error.message}`,
    }));
    return found.length === 0 ? [] : [verdict(alert, found)];
  };
  return [
    ...sign('CollectorFailing', (each) => isFailing(each) && !refused.includes(each.name)),
    ...sign('PartsFailing', ({ result }) => result === 'partial'),
    ...sign('DataStale', (each) => !isFailing(each) && each.data_state === 'stale'),
  ];
};
