// Tests that the page's views never show a green tick for missing or old data.

import { describe, expect, it } from 'vitest';
import type { Collector, Freshness, Ledger, UptimeHistory, User } from '../../src/page/answers.ts';
import { localTime, table } from '../../src/page/components.ts';
import { html } from '../../src/page/html.ts';
import { evaluationNote } from '../../src/page/views/alerts.ts';
import { balanceView } from '../../src/page/views/balance.ts';
import { collectorTable } from '../../src/page/views/collectors.ts';
import { withFreshness } from '../../src/page/views/freshness.ts';
import { useColumns } from '../../src/page/views/label-use.ts';
import { serviceTable } from '../../src/page/views/market.ts';
import { lastResults } from '../../src/page/views/proxies.ts';
import { sumsBy } from '../../src/page/views/traffic.ts';
import { strip } from '../../src/page/views/uptime.ts';
import { quotasOfUser, quotaTable } from '../../src/page/views/users.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const HOUR_AGO = '2026-03-01T11:00:00.000Z';

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
    const proxy = {
      account: 'main',
      proxy_id: 'fr-1',
      tests: [],
      fault: null,
      last_tested_at: null,
    } as never;
    const shown = textOf(lastResults([proxy], [], NOW));
    expect(shown).toContain('– Not tested yet');
    expect(shown).toContain('no tests');
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
      textOf(balanceView('Residential', { ...UNKNOWN_LEDGER, unread_rows }, NOW));
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
      proxies_in_use: null,
      quantity: 3,
      price: null,
    };
    const words = (part: object) => textOf(serviceTable([{ ...service, ...part } as never], NOW));
    expect(words({})).toContain('– unknown');
    expect(words({})).toContain('– of 3');
    expect(words({ product_type: 'mobile' })).not.toContain('of 3');
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
});

it('an unknown quota says why', () => {
  const quota = { state: null, limit_bytes: 0, used_bytes: 1, left_bytes: null, used_ratio: null };
  const end = { exhausted_at: null, exhausted_earliest_at: null, exhausted_latest_at: null, forecast: null };
  const shown = (used_bytes: number | null): string => {
    const each = { ...quota, ...end, used_bytes };
    return textOf(quotaTable([{ quotas: { residential: each, mobile: each } } as User], 'residential', NOW));
  };
  expect(shown(1)).toContain('Unknown a limit of 0 can mean no limit');
  expect(shown(null)).toContain('Unknown no use is known');
});

it('the bars of use are scaled to the largest share', () => {
  const rows = [0.4, 0.1].map((share) => ({ share, bytes: { residential: 1, mobile: null } }));
  const shown = String(table('Use', useColumns(rows), rows));
  expect([...shown.matchAll(/class="none" width="([\d.]+)"/g)].map(([, width]) => width)).toEqual([
    '100.0',
    '25.0',
  ]);
});
