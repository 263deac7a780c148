// Answers of the API about an account without faults, and texts of what the overview shows of them.

import type { Alert, AlertGroup, Collector, Fault, Freshness, Service } from '../../src/page/answers.ts';
import { causeTable } from '../../src/page/views/cause-table.ts';
import { causesOf } from '../../src/page/views/causes.ts';
import { headlineView } from '../../src/page/views/overview.ts';
import type { OverviewData } from '../../src/page/views/signs.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const iso = (hours: number): string => new Date(NOW + hours * 3_600_000).toISOString();

export const textOf = (markup: { toString(): string }): string =>
  markup
    .toString()
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,])/g, '')
    .trim();

export const headline = (data: OverviewData): string => textOf(headlineView(data, causesOf(data, NOW), NOW));
export const rows = (data: OverviewData): string[] =>
  causeTable(causesOf(data, NOW), { account: 'main', now: NOW, silences: data.silences })
    .toString()
    .split('<tr role="row">')
    .slice(2)
    .map((row) =>
      textOf({ toString: () => row }).replace(/ (Silence I am on it( Test now)?|Test now|–)$/, ''),
    );

export const alert = (name: string, labels: Alert['labels'], part: Partial<Alert> = {}): Alert => ({
  ...{ alert: name, severity: 'warning', state: 'firing', labels: { account: 'main', ...labels } },
  ...{ since: iso(-1), firing_since: iso(-1), value: 1, summary: `${name} fires.`, description: null },
  ...{ runbook: null, silenced_until: null, silenced_by: [] },
  ...part,
});

export const group = (
  examples: readonly [Alert, ...Alert[]],
  part: Partial<AlertGroup> = {},
): AlertGroup => ({
  ...{ alert: examples[0].alert, severity: examples[0].severity, state: examples[0].state },
  ...{ count: examples.length, since: iso(-1), silenced_until: examples[0].silenced_until },
  ...{ accounts: ['main'], account_count: 1, examples: [...examples], receivers: [] },
  ...part,
});

export const alerts = (...data: AlertGroup[]) => ({
  evaluated: true,
  evaluated_at: iso(0),
  data,
  counts: [],
});

export const CURRENT: Freshness = {
  ...{
    account: 'main',
    collector: 'services',
    state: 'current',
    as_of: iso(0),
    watched_since: null,
    error: null,
  },
};
export const page = <T>(data: readonly T[]) => ({ data, next_cursor: null, freshness: [CURRENT] });

export const collector = (part: Partial<Collector> = {}): Collector => ({
  ...{
    name: 'traffic',
    data_state: 'current',
    data_as_of: iso(0),
    result: 'ok',
    error: null,
    progress: null,
  },
  ...{ last_attempt_at: iso(0), last_duration_seconds: 1, last_success_at: iso(0), failures_in_a_row: 0 },
  ...{ interval_seconds: 60, next_run_at: iso(1), running_since: null, waits_until: null },
  ...part,
});

export const service = (part: Partial<Service>): Service =>
  ({
    ...{ account: 'main', service_id: 'API-1', status: 'active', expires_at: iso(24 * 30), quantity: 15 },
    ...{ is_paused: false, is_pending_cancellation: false, is_automatic_collection: true },
    ...{
      has_open_invoice: false,
      proxies: { in_use: 15 },
      proxies_in_use: 15,
      service_name: null,
      product_type: null,
    },
    ...{ effective_status: 'active', is_expiring: false, missing_proxies: 0, lacks_proxies: false },
    ...{ country_id: null, price: null, currency: 'USD', cycle: null },
    ...part,
  }) as Service;

export const NO_QUOTAS = { ok: 5, low: 0, soon: 0, exhausted: 0, unlimited: 0, unknown: 0 };
export const users = (part: Partial<typeof NO_QUOTAS> = {}) => ({
  data: [
    { account: 'main', product_type: 'residential' as const, users: 5, states: { ...NO_QUOTAS, ...part } },
  ],
  freshness: [CURRENT],
});

export const targets = (results: number) =>
  page([{ hours: [{ results, successes: results, own_failures: 0 }] }]);

export const fault = (kind: Fault['kind'], subject: string): Fault => ({
  ...{ account: 'main', kind, subject, since: iso(-2), reason: '8 of 8 tests fail' },
});
export const NO_FAULTS = { proxy: 0, access: 0, target: 0, tester: 0, provider: 0 };
export const faults = (...data: Fault[]) => {
  const totals = data.map(({ kind }) => [kind, data.filter((each) => each.kind === kind).length]);
  return {
    ...page(data),
    ...{ total: data.length, total_by_kind: { ...NO_FAULTS, ...Object.fromEntries(totals) } },
  };
};

export const usedUp = (is_exhausted: boolean) =>
  page([{ balance: { left_bytes: 0, forecast: 'used_up', exhausted_at: null }, is_exhausted }]) as never;

export const GOOD: OverviewData = {
  ...{ account: 'main', isConfigured: true, collectors: [collector()], alerts: alerts() },
  ...{
    traffic: null,
    ledger: null,
    mobileLedger: null,
    users: users(),
    faults: faults(),
    targets: targets(3) as never,
  },
  services: page([service({})]),
};
