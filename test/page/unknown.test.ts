// Tests that the page's views never show a green tick for missing or old data.

import { describe, expect, it } from 'vitest';
import type {
  Collector,
  Faults,
  Freshness,
  Ledger,
  Page,
  UptimeHistory,
  UserSummary,
} from '../../src/page/answers.ts';
import { localTime } from '../../src/page/components.ts';
import { html } from '../../src/page/html.ts';
import { evaluationNote } from '../../src/page/views/alerts.ts';
import { balanceView } from '../../src/page/views/balance.ts';
import { collectorTable } from '../../src/page/views/collectors.ts';
import { faultView } from '../../src/page/views/failures.ts';
import { leastFresh, withFreshness } from '../../src/page/views/freshness.ts';
import { serviceTable } from '../../src/page/views/market.ts';
import { proxyMatrix } from '../../src/page/views/proxies.ts';
import { type SummaryData, summaryView } from '../../src/page/views/summary.ts';
import { sumsBy } from '../../src/page/views/traffic.ts';
import { strip } from '../../src/page/views/uptime.ts';
import { quotasOfUser } from '../../src/page/views/users.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const HOUR_AGO = '2026-03-01T11:00:00.000Z';
const GREEN = '✓';

const textOf = (markup: { toString(): string }): string =>
  markup
    .toString()
    .replaceAll(/<title>.*?<\/title>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const freshness = (state: Freshness['state'], overrides: Partial<Freshness> = {}): Freshness => ({
  ...{ account: 'main', collector: 'proxy_users', state, as_of: null, watched_since: null, error: null },
  ...overrides,
});
const NO_DATA = freshness('no_data');
const OFF = freshness('not_monitored');
const STALE = freshness('stale', { as_of: HOUR_AGO });
const CURRENT = freshness('current', { as_of: HOUR_AGO });

const page = <T>(data: readonly T[], known: Freshness): Page<T> => ({
  ...{ data, next_cursor: null, freshness: [known] },
});

const faults = (known: Freshness): Faults => ({
  ...{ data: [], next_cursor: null, freshness: [known], total: 0 },
  total_by_kind: { proxy: 0, access: 0, target: 0, tester: 0, provider: 0 },
});

const NONE = { ok: 0, low: 0, soon: 0, exhausted: 0, unlimited: 0, unknown: 0 };
const users = (states: UserSummary['data'][number]['states'], known: Freshness): UserSummary => ({
  data: [{ account: 'main', product_type: 'residential', users: states && 5, states }],
  freshness: [known],
});

const collector = (overrides: Partial<Collector>): Collector => ({
  ...{
    name: 'traffic',
    data_state: 'current',
    data_as_of: HOUR_AGO,
    result: 'ok',
    error: null,
    progress: null,
  },
  ...{ last_attempt_at: HOUR_AGO, last_duration_seconds: 1, last_success_at: HOUR_AGO, failures_in_a_row: 0 },
  ...{ interval_seconds: 60, next_run_at: HOUR_AGO, running_since: null, waits_until: null },
  ...overrides,
});

const hours = (results: number): UptimeHistory['hours'] => [
  {
    results,
    successes: results,
    ratio: results === 0 ? null : 1,
    mean_response_time_seconds: null,
    ...{ own_failures: 0, other_failures: 0, unattributed_failures: 0, own_ratio: results === 0 ? null : 1 },
    at: HOUR_AGO,
  },
];
const UNKNOWN_LEDGER: Ledger = {
  ...{ account: 'main', complete_at: null, unread_rows: null, balance: null, is_exhausted: null },
  ...{ services: [], reasons: [] },
};
const target = (results: number): UptimeHistory => ({
  ...{ account: 'main', kind: 'target', id: 'shop', hours: hours(results), days: hours(results) },
});

describe('the figures at the top', () => {
  const summaryText = (known: SummaryData): string => textOf(summaryView({ account: 'main', ...known }, NOW));

  it.each([
    ['no data yet', NO_DATA],
    ['not monitored', OFF],
  ])('are a dash without data: %s', (words, known) => {
    const shown = summaryText({
      users: users(null, known),
      ledger: page<Ledger>([], known),
      faults: faults(known),
      targets: page([target(0)], known),
    });
    for (const name of ['Quotas', 'Residential balance', 'Proxy tests'])
      expect(shown).toContain(`${name} – – ${words}`);
    expect(shown).not.toContain(GREEN);
  });

  it('show the age of old data instead of a tick', () => {
    const shown = summaryText({
      users: users({ ...NONE, ok: 5 }, STALE),
      faults: faults(STALE),
      targets: page([target(3)], STALE),
    });
    expect(shown).toContain('Quotas OK ! stale 60 min ago');
    expect(shown).toContain('Proxy tests OK ! stale 60 min ago');
    expect(shown).not.toContain(GREEN);
  });

  it.each([
    [{ ...NONE, ok: 4, unknown: 1 }, 'Quotas OK ✓ no quota is low 1 unknown'],
    [{ ...NONE, unknown: 5 }, 'Quotas – – all quotas are unknown'],
    [NONE, 'Quotas – – no users'],
  ])('count quotas that are not known: %o', (states, words) => {
    expect(summaryText({ users: users(states, CURRENT) })).toContain(words);
  });

  it('show no good news about tests without results', () => {
    const known = { faults: faults(CURRENT), targets: page([target(0)], CURRENT) };
    expect(summaryText(known)).toContain('Proxy tests – – no results in 24 hours');
  });

  const GOOD: SummaryData = {
    users: users({ ...NONE, ok: 5 }, CURRENT),
    ...{ faults: faults(CURRENT), targets: page([target(3)], CURRENT) },
  };

  it.each([
    ['traffic', 'Traffic, 24 hours'],
    ['users', 'Quotas'],
    ['ledger', 'Residential balance'],
    ['faults', 'Proxy tests'],
    ['targets', 'Proxy tests'],
  ] as const)('are unknown after an error of %s', (key, name) => {
    const shown = summaryText({ ...GOOD, [key]: 'unknown' });
    expect(shown).toContain(`${name} – – unknown, the daemon reported an error`);
  });

  it('are unknown when the account was removed from the configuration', () => {
    expect(summaryText(GOOD)).toContain(GREEN);
    const shown = summaryText({ ...GOOD, isConfigured: false });
    expect(shown.split('– – no longer configured')).toHaveLength(5);
    expect(shown).not.toContain(GREEN);
  });
});

describe('a section of the page', () => {
  const sectionText = (known: Freshness, isEmpty: boolean): string =>
    textOf(withFreshness({ freshness: known, now: NOW, isEmpty }, () => html`the list`));

  it('explains why it has no data', () => {
    expect(sectionText(OFF, true)).toBe('– Not monitored The proxy_users collector is off for this account.');
    expect(sectionText(NO_DATA, true)).toBe(
      '– No data yet The proxy_users collector has not finished its first run.',
    );
    const error = { kind: 'server', message: 'answered 500' };
    expect(sectionText(freshness('no_data', { watched_since: HOUR_AGO, error }), true)).toMatch(
      /^– No data yet No run of .* has succeeded\. The first run was 60 min ago ?\. Last error: server, answered 500\.$/,
    );
  });

  it('shows an incomplete or old list with a note', () => {
    expect(sectionText(NO_DATA, false)).toMatch(/^– No data yet .* the list$/);
    expect(sectionText(STALE, true)).toMatch(/^! Stale The data is from 60 min ago ?\. the list$/);
    expect(sectionText(CURRENT, true)).toBe('the list');
  });

  it('does not report proxies without results as faultless', () => {
    expect(textOf(faultView(page([], OFF), NOW))).not.toContain('no fault');
    expect(textOf(faultView(page([], CURRENT), NOW))).toBe('The last results show no fault.');
    const proxy = { proxy_id: 'fr-1', tests: [], fault: null, last_tested_at: null } as never;
    expect(textOf(proxyMatrix([proxy], [], NOW))).toContain('– Not tested yet');
    expect(strip(hours(0), 'hour').toString()).toContain('aria-label="no tests in 1 hours"');
  });

  it('has no tick for a run that read nothing or was long ago', () => {
    const shown = (state: Collector['data_state']) =>
      textOf(collectorTable('main', [collector({ data_state: state })], NOW));
    expect(shown('current')).toContain('✓ OK');
    expect(shown('no_data')).toContain('– No data yet');
    expect(shown('stale')).toContain('! Stale');
    expect(textOf(collectorTable('main', [], NOW))).toContain('– Not monitored');
  });

  it('has no tick for a run that waits for the provider, and says until when', () => {
    const until = NOW + 5 * 60_000;
    const waiting = { running_since: HOUR_AGO, waits_until: new Date(until).toISOString() };
    const shown = textOf(collectorTable('main', [collector(waiting)], NOW));
    expect(shown).toContain('! Waits for the provider');
    const shownUntil = textOf(localTime(until, 'second'));
    expect(shown).toContain(`Running for 60 min, waits for the provider until ${shownUntil} `);
    expect(shown).not.toContain('✓');
  });

  it('shows whether alerts were evaluated', () => {
    const shown = (evaluated: boolean, at: string | null) =>
      textOf(evaluationNote({ evaluated, evaluated_at: at }, NOW) ?? html``);
    // The answer does not say which of the two is the reason.
    expect(shown(false, null)).toMatch(
      /^– Not evaluated This daemon does not evaluate alerts, .* has no receivers or sets alerts\.evaluate to false\./,
    );
    expect(shown(true, null)).toContain('– No data yet The daemon has not evaluated alerts');
    expect(shown(true, HOUR_AGO)).toMatch(/✕ Not evaluated The daemon last evaluated alerts 60 min ago/);
    expect(shown(true, new Date(NOW).toISOString())).toBe('');
  });

  it('shows no pace of a quota without a forecast', () => {
    const quota = { state: 'ok', limit_bytes: 9e9, used_bytes: 1e9, left_bytes: 8e9, used_ratio: 0.11 };
    const shown = (exhausted_at: string | null) => {
      const residential = { ...quota, exhausted_at, exhausted_earliest_at: null, exhausted_latest_at: null };
      const user = {
        proxy_user_id: 'alice',
        quotas: { residential, mobile: { ...residential, exhausted_at: null } },
      };
      return textOf(quotasOfUser(user as never, NOW));
    };
    expect(shown('2026-03-05T12:00:00.000Z').match(/2 GB a day/g)).toHaveLength(1);
    expect(shown(null)).not.toContain('a day');
    expect(shown(HOUR_AGO)).not.toContain('a day');
  });

  it('explains why there is no balance', () => {
    const words = (unread_rows: number | null) =>
      textOf(balanceView({ ...UNKNOWN_LEDGER, unread_rows }, NOW));
    expect(words(null)).toContain('until proxywatch has read every row of the ledger');
    expect(words(0)).toBe('The ledger has no rows.');
    expect(words(2)).toContain('– Unknown proxywatch could not decode 2 rows');
  });

  it('sums missing values to null, not 0', () => {
    const point = { at: HOUR_AGO, bytes: 1, requests: null, failed_requests: null } as never;
    expect(sumsBy([point], () => 'day')).toEqual([
      { at: 'day', from: HOUR_AGO, bytes: 1, requests: null, failed_requests: null },
    ]);
  });

  it('does not show a service without a status as bad', () => {
    const blank = { service_name: null, product_type: null, country_id: null, cycle: null, expires_at: null };
    const service = {
      ...blank,
      service_id: 'API-1',
      ...{ status: null, effective_status: 'unknown' },
      proxies: null,
      quantity: 3,
      price: null,
    } as never;
    const words = textOf(serviceTable([service], NOW));
    expect(words).toContain('– unknown');
    expect(words).toContain('– of 3');
  });
});

describe('data of two collectors', () => {
  const [tests, probes] = [
    { ...CURRENT, collector: 'proxy_tests' },
    { ...STALE, collector: 'probes' },
  ];
  const shown = (entries: readonly Freshness[]): string =>
    textOf(withFreshness({ freshness: entries, now: NOW, isEmpty: true }, () => html`the list`));

  it('says which of them is stale, whatever their order', () => {
    for (const entries of [
      [tests, probes],
      [probes, tests],
    ])
      expect(shown(entries)).toMatch(/Stale\s+probes: The data is from.*the list/s);
    expect(shown([tests])).toBe('the list');
  });

  it('makes a figure as old as the older of them', () => {
    expect(leastFresh([tests, probes])).toBe(probes);
    expect(leastFresh([{ ...NO_DATA, collector: 'proxy_tests' }, probes])).toBe(probes);
    expect(leastFresh([tests, tests])).toBe(tests);
  });
});
