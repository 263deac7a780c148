// Tests what the overview says to be wrong: in one sentence that is green only if all is known and without fault, and in one
// row for each cause.

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALERTS } from '../../src/alerts/table.ts';
import { COLLECTOR_NAMES } from '../../src/collectors/context.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { LIST_COLLECTORS, SECTION_COLLECTORS } from '../../src/page/address.ts';
import type { Alert, AlertGroup, Collector, Freshness, Service } from '../../src/page/answers.ts';
import { ALERT_WORDS } from '../../src/page/views/alert-words.ts';
import { causeTable } from '../../src/page/views/cause-table.ts';
import { causesOf } from '../../src/page/views/causes.ts';
import { headlineView } from '../../src/page/views/headline.ts';
import { COLLECTOR_SETTINGS, notMonitoredView } from '../../src/page/views/monitored.ts';
import { overviewAnswers } from '../../src/page/views/overview.ts';
import type { OverviewData } from '../../src/page/views/overview-data.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const iso = (hours: number): string => new Date(NOW + hours * 3_600_000).toISOString();

const textOf = (markup: { toString(): string }): string =>
  markup
    .toString()
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,])/g, '')
    .trim();

const headline = (data: OverviewData): string => textOf(headlineView(data, causesOf(data, NOW), NOW));
const rows = (data: OverviewData): string[] =>
  causeTable(causesOf(data, NOW), { now: NOW, silences: data.silences })
    .toString()
    .split('<tr role="row">')
    .slice(2)
    .map((row) => textOf({ toString: () => row }).replace(/ (Silence I am on it|–)$/, ''));

const alert = (name: string, labels: Alert['labels'], part: Partial<Alert> = {}): Alert => ({
  ...{ alert: name, severity: 'warning', state: 'firing', labels: { account: 'main', ...labels } },
  ...{ since: iso(-1), firing_since: iso(-1), value: 1, summary: `${name} fires.`, description: null },
  ...{ runbook: null, silenced_until: null, silenced_by: [] },
  ...part,
});

const group = (examples: readonly [Alert, ...Alert[]], part: Partial<AlertGroup> = {}): AlertGroup => ({
  ...{ alert: examples[0].alert, severity: examples[0].severity, state: examples[0].state },
  ...{ count: examples.length, since: iso(-1), silenced_until: examples[0].silenced_until },
  ...{ accounts: ['main'], account_count: 1, examples: [...examples], receivers: [] },
  ...part,
});

const alerts = (...data: AlertGroup[]) => ({ evaluated: true, evaluated_at: iso(0), data, counts: [] });

const CURRENT: Freshness = {
  ...{
    account: 'main',
    collector: 'services',
    state: 'current',
    as_of: iso(0),
    watched_since: null,
    error: null,
  },
};
const page = <T>(data: readonly T[]) => ({ data, next_cursor: null, freshness: [CURRENT] });

const collector = (part: Partial<Collector> = {}): Collector => ({
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

const service = (part: Partial<Service>): Service =>
  ({
    ...{ account: 'main', service_id: 'API-1', status: 'active', expires_at: iso(24 * 30), quantity: 15 },
    ...{ is_paused: false, is_pending_cancellation: false, is_automatic_collection: true },
    ...{ has_open_invoice: false, proxies: { in_use: 15 } },
    ...part,
  }) as Service;

const NO_QUOTAS = { ok: 5, low: 0, soon: 0, exhausted: 0, unlimited: 0, unknown: 0 };
const users = (part: Partial<typeof NO_QUOTAS> = {}) => ({
  data: [
    { account: 'main', product_type: 'residential' as const, users: 5, states: { ...NO_QUOTAS, ...part } },
  ],
  freshness: [CURRENT],
});

const GOOD: OverviewData = {
  ...{ account: 'main', isConfigured: true, collectors: [collector()], alerts: alerts() },
  ...{ traffic: null, ledger: null, users: users(), faults: { ...page([]), total: 0 }, targets: page([]) },
  services: page([service({})]),
};

describe('the sentence at the top', () => {
  it('is green if everything that is monitored works', () => {
    expect(headline(GOOD)).toBe('✓ OK Everything that is monitored works.');
  });

  it.each<[string, OverviewData, string]>([
    ['alerts are not read', { alerts: undefined as never }, 'A part is not read yet'],
    ['alerts are unknown', { alerts: 'unknown' }, 'a part is unknown'],
    ['users are unknown', { users: 'unknown' }, 'a part is unknown'],
    ['alerts are not evaluated', { alerts: { ...alerts(), evaluated: false } }, 'does not evaluate alerts'],
    ['alerts are not evaluated yet', { alerts: { ...alerts(), evaluated_at: null } }, 'not evaluated yet'],
    [
      'evaluation has stopped',
      { alerts: { ...alerts(), evaluated_at: iso(-1) } },
      'last evaluated alerts 60 min ago',
    ],
    ['a collector has no data', { collectors: [collector({ data_state: 'no_data' })] }, '1 of 1 collectors'],
    [
      'a collector is stale',
      { collectors: [collector({ data_state: 'stale' })] },
      '1 collector has old data',
    ],
    ['a collector fails', { collectors: [collector({ result: 'failed' })] }, '1 collector fails'],
    ['no collector is on', { collectors: [] }, 'Nothing is monitored'],
    ['the account was removed', { isConfigured: false }, 'no longer has this account'],
    [
      'a notice fires',
      { alerts: alerts(group([alert('QuoteInvalid', {}, { severity: 'info' })])) },
      '1 notice',
    ],
    [
      'an alert is pending',
      { alerts: alerts(group([alert('DataStale', {}, { state: 'pending' })])) },
      '1 pending cause',
    ],
    [
      'an alert is silenced',
      { alerts: alerts(group([alert('DataStale', {}, { silenced_until: iso(2) })])) },
      '1 silenced cause',
    ],
    [
      'another account has alerts',
      { others: [{ name: 'b', firing: 3, severity: 'critical' }] },
      '3 alerts fire in account b',
    ],
    ['a quota is used up', { users: users({ exhausted: 2 }) }, '2 quotas are used up'],
  ])('is not green while %s', (_, part, words) => {
    const shown = headline({ ...GOOD, ...part });
    expect(shown).toContain(words);
    expect(shown).not.toMatch(/✓|Everything that is monitored works/);
  });

  it('says what is wrong, with links, and how long the balance lasts', () => {
    const faulty = ['a', 'b'].map((id) => alert('ProxyFailing', { proxy_id: id }));
    const balance = { left_bytes: 5, exhausted_at: iso(48), forecast: 'expected' };
    const data: OverviewData = {
      ...GOOD,
      alerts: alerts(
        group(faulty as [Alert, Alert]),
        group([alert('ProxyUserQuotaExhausted', { proxy_user_id: 'u' })], { count: 9 }),
      ),
      ledger: page([{ balance }]) as never,
    };
    expect(headline(data)).toBe(
      '! Needs you 2 proxies are at fault. 9 quotas are used up. The balance lasts until 2026-03-03.',
    );
    const markup = headlineView(data, causesOf(data, NOW), NOW).toString();
    expect(markup.match(/<a /g)).toHaveLength(3);
  });
});

describe('the causes', () => {
  it('have one row for all alerts about quotas', () => {
    const many = [1, 2, 3, 4, 5].map((id) => alert('ProxyUserQuotaExhausted', { proxy_user_id: `u${id}` }));
    const low = alert('ProxyUserQuotaLow', { proxy_user_id: 'u6' });
    const data = { ...GOOD, alerts: alerts(group(many as [Alert], { count: 18 }), group([low])) };
    expect(rows(data)).toHaveLength(1);
    expect(rows(data)[0]).toMatch(
      /^18 quotas are used up, 1 quota is low u1, u2, u3 and 16 more .*60 min ago the quotas Raise them.* nobody$/,
    );
  });

  it('put a service that ends soon above everything, in red', () => {
    const data: OverviewData = {
      ...GOOD,
      alerts: alerts(group([alert('ProxyFailing', { proxy_id: 'a' })])),
      services: page([service({ expires_at: iso(39), proxies: { in_use: 14 } })]),
    };
    expect(rows(data)[0]).toMatch(/^1 service lacks proxies API-1, paid until in 39 h .*✕ Urgent/);
    expect(rows(data)[1]).toMatch(/^1 proxy is at fault/);
    expect(headline(data)).toMatch(/^✕ Urgent 1 service lacks proxies\. 1 proxy is at fault\./);
  });

  it('name the service once that two alerts are about', () => {
    const two = ['ServiceExpiringSoon', 'ServicePendingCancellation'].map((name) =>
      group([alert(name, { service_id: 'API-1' })]),
    );
    expect(rows({ ...GOOD, alerts: alerts(...two) })[0]).toMatch(
      /^1 service expires, 1 service is canceled API-1, paid until in 30 d ServiceExp/,
    );
  });

  it('come from verdicts if no alert reports them, and say that nobody is notified', () => {
    const fault = {
      account: 'main',
      kind: 'proxy' as const,
      subject: 'fr-1',
      since: iso(-2),
      reason: '8 of 8 tests fail',
    };
    const data: OverviewData = {
      ...GOOD,
      alerts: { ...alerts(), evaluated: false },
      faults: { ...page([fault]), total: 3 },
    };
    expect(rows(data)[0]).toMatch(
      /^3 proxies are at fault fr-1 and 2 more 8 of 8 tests fail .* 2 h ago .* nobody$/,
    );
  });

  it('say who was notified, and until when and why a cause is silenced', () => {
    const receivers = [
      { receiver: 'slack', status: 'notified' as const, notified_at: iso(-0.5) },
      { receiver: 'mail', status: 'filtered' as const, notified_at: null },
    ];
    const silenced_by = [{ silence: '1', comment: 'Anna moves', maintenance: null }];
    const silenced = alert('ProxyFailing', { proxy_id: 'b' }, { silenced_until: iso(2), silenced_by });
    const shown = rows({
      ...GOOD,
      alerts: alerts(group([silenced]), group([alert('ProxyFailing', { proxy_id: 'a' })], { receivers })),
    });
    expect(shown[0]).toMatch(/ slack 30 min ago, mail filtered$/);
    expect(shown[1]).toMatch(/Silenced, ends in 2 h \(Anna moves\)\..* – Silenced /);
  });

  it('do not repeat as failing collectors that the provider does not answer', () => {
    const data: OverviewData = {
      ...GOOD,
      collectors: [collector({ result: 'failed' })],
      alerts: alerts(group([alert('ProviderUnreachable', {}, { severity: 'critical' })])),
    };
    expect(rows(data)).toHaveLength(1);
    expect(headline(data)).toMatch(/^✕ Urgent The provider does not answer\./);
    // An alert without a subject has a page nevertheless.
    expect(headlineView(data, causesOf(data, NOW), NOW).toString()).toContain(
      'view=alert&amp;id=ProviderUnreachable',
    );
  });

  it('have words for every alert that the daemon evaluates', () => {
    const names = ALERTS.filter(({ scope }) => scope !== 'outside').map(({ name }) => name);
    expect(Object.keys(ALERT_WORDS).toSorted()).toEqual(names.toSorted());
  });
});

describe('what is not monitored', () => {
  it('is one line, with a valid setting for each collector that is off', () => {
    expect(Object.keys(COLLECTOR_SETTINGS)).toEqual([...COLLECTOR_NAMES]);
    for (const name of COLLECTOR_NAMES) {
      const own = parse(COLLECTOR_SETTINGS[name] ?? '');
      const keys = { name: 'main', public_key: 'a', private_key: 'b' };
      const { accounts } = settingsSchema.parse({
        accounts: [{ ...keys, ...parse(COLLECTOR_SETTINGS.proxy_tests ?? ''), ...own }],
      });
      expect(accounts[0]).toHaveProperty(name);
    }
    const shown = notMonitoredView(COLLECTOR_NAMES.filter((name) => name !== 'quotes' && name !== 'catalog'));
    expect(textOf(shown)).toMatch(/^Not monitored: catalog, quotes\. How to turn them on/);
    expect(shown.toString()).toContain('href="#on-quotes"');
    expect(notMonitoredView(COLLECTOR_NAMES).toString()).toBe('');
  });

  it('is not in the navigation', () => {
    const needed = [...Object.values(SECTION_COLLECTORS), ...Object.values(LIST_COLLECTORS)].flat();
    expect(needed.filter((name) => !COLLECTOR_NAMES.some((known) => known === name))).toEqual([]);
  });
});

it('other accounts are named only while their alerts fire', () => {
  const account = (name: string, firing: number | null) => ({
    name,
    alerts: { firing, worst_severity: 'warning' },
    collectors: [],
  });
  const status = { accounts: [account('main', 1), account('b', 2), account('c', 0), account('d', null)] };
  expect(overviewAnswers(status as never, 'main').others).toEqual([
    { name: 'b', firing: 2, severity: 'warning' },
  ]);
  expect(overviewAnswers(status as never, 'gone').isConfigured).toBe(false);
});
