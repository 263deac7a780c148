// Tests how the page shows silenced alerts, and the list of silences and maintenance windows.

import { expect, it } from 'vitest';
import type { Alert, AlertGroup, MaintenanceWindow, Silence } from '../../src/page/answers.ts';
import { aboutAlert, activeAlerts } from '../../src/page/views/alert-history.ts';
import { alertTable } from '../../src/page/views/alerts.ts';
import { silenceTable } from '../../src/page/views/silences.ts';
import { summaryView } from '../../src/page/views/summary.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const iso = (hours: number): string => new Date(NOW + hours * 3_600_000).toISOString();

const textOf = (markup: { toString(): string }): string =>
  markup
    .toString()
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const alert = (part: Partial<Alert> = {}): Alert => ({
  ...{ alert: 'ProxyFailing', severity: 'critical', state: 'firing', labels: { account: 'main' } },
  ...{ since: iso(-1), firing_since: iso(-1), value: 1, summary: 'A proxy fails.', description: null },
  ...{ runbook: null, silenced_until: null, silenced_by: [] },
  ...part,
});

const silencedFor = (hours: number, comment: string): Partial<Alert> => ({
  silenced_until: iso(hours),
  silenced_by: [{ silence: '1', comment, maintenance: null }],
});

/** A group of these alerts, of which the API returns the first five. */
const group = (alerts: readonly [Alert, ...Alert[]], count: number = alerts.length): AlertGroup => ({
  ...{ alert: 'ProxyFailing', severity: alerts[0].severity, state: alerts[0].state, count, since: iso(-1) },
  ...{ accounts: ['main'], account_count: 1, silenced_until: alerts[0].silenced_until },
  examples: alerts.slice(0, 5),
});

const rowsOf = (data: readonly AlertGroup[]): string[] =>
  textOf(alertTable({ evaluated: true, evaluated_at: iso(0), data }, NOW))
    .split('ProxyFailing ')
    .slice(1);

it('a row says whether its alerts are silenced, until when and why', () => {
  const window = { silence: null, comment: null, maintenance: 'weekly' };
  const data = [
    group([alert({ severity: 'info' })]),
    group([alert(silencedFor(2.5, 'Anna'))]),
    group([alert({ state: 'pending', silenced_until: iso(4), silenced_by: [window] })]),
  ];
  expect(rowsOf(data)).toEqual([
    expect.stringMatching(/^– Firing \(info\) 1 main 60 min ago A proxy fails\./),
    expect.stringMatching(/^– Silenced \(critical\) 1 .* Silenced, ends in 2 h \(Anna\)\. A proxy fails\./),
    expect.stringMatching(/^– Pending \(critical\) 1 .* Silenced, ends in 4 h \(weekly\)\. A proxy/),
  ]);
});

it('a row of alerts with different silences names the first end', () => {
  const alerts = ['d', 'c', 'b', 'a'].map((comment, index) => alert(silencedFor(index + 2, comment)));
  expect(rowsOf([group(alerts as [Alert, ...Alert[]])])).toEqual([
    expect.stringMatching(
      / 4 main .* Silenced, the first silence ends in 2 h \(d, c, b, …\)\. A proxy fails\. and 3 more/,
    ),
  ]);
});

it('a row of many alerts shows the first five, and how many more there are', () => {
  const alerts = Array.from({ length: 5 }, (_, index) => alert({ summary: `Proxy ${index} fails.` }));
  const many = group(alerts as [Alert, ...Alert[]], 4_711);
  expect(rowsOf([many])).toEqual([
    expect.stringMatching(
      /4,711 main .* Proxy 0 fails\. and 4,710 more Proxy 1 fails\. Proxy 2 fails\. Proxy 3 fails\. Proxy 4 fails\. 4,706 more/,
    ),
  ]);
  expect(rowsOf([{ ...many, accounts: ['a', 'b', 'c'], account_count: 12 }])[0]).toContain(' 12 accounts ');
  expect(rowsOf([{ ...many, accounts: [], account_count: 0 }])[0]).toContain(' the daemon ');
});

const silence = (part: Partial<Silence> = {}): Silence => ({
  ...{ id: '1', state: 'active', account: 'main', alert: 'ProxyFailing', subject: null, comment: 'Anna' },
  ...{ starts_at: iso(-1), ends_at: iso(2) },
  ...part,
});
const window = (part: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  ...{ name: 'weekly', days: ['sun'], hours: '12:00-15:00', time_zone: 'UTC', accounts: null, alerts: null },
  ...{ active_until: iso(3), next_start_at: null },
  ...part,
});

it('the list has what is in effect or planned, and what it matches', () => {
  const data = [
    silence({ state: 'expired', comment: 'over' }),
    silence({ comment: '<Anna>' }),
    silence({ state: 'pending', comment: 'move', alert: null, starts_at: iso(5), ends_at: iso(7) }),
  ];
  const maintenance = [
    window(),
    window({ name: 'nightly', active_until: null, next_start_at: iso(9) }),
    window({ name: 'some', accounts: ['main', 'shop'], alerts: ['DataStale'] }),
  ];
  const markup = silenceTable({ data, maintenance }, NOW);
  expect(markup.toString()).toContain('&lt;Anna&gt;');
  const text = textOf(markup);
  expect(text).not.toMatch(/over|nightly/);
  expect(text).toMatch(
    / account main, alert ProxyFailing – Silence &lt;Anna&gt; .* in 2 h account main – Planned silence move /,
  );
  expect(text).toMatch(
    / all alerts – Maintenance window weekly – .* in 3 h account main, shop, alert DataStale – .* some /,
  );
});

it('there is no list without silences', () => {
  expect(silenceTable({ data: [silence({ state: 'expired' })], maintenance: [] }, NOW).toString()).toBe('');
});

it('shows on the page of an alert until when it is silenced, and why', () => {
  const shown = (part: Partial<Alert>): string =>
    textOf(activeAlerts({ data: [{ ...alert(part), receivers: [] }], next_cursor: null, inactive: [] }, NOW));
  expect(shown(silencedFor(2, 'moving'))).toContain('– Silenced (critical) Silenced, ends in 2 h (moving).');
  expect(shown({})).toContain('✕ Firing (critical)');
});

it('counts silenced alerts apart from firing ones at the top', () => {
  const counts = { account: 'main', firing: 0, silenced: 17, pending: 0, worst_severity: null };
  const shown = (...all: (typeof counts)[]): string =>
    textOf(
      summaryView(
        { account: 'main', alerts: { evaluated: true, evaluated_at: iso(0), data: [], counts: all } },
        NOW,
      ),
    );
  expect(shown(counts)).toContain('Alerts None firing – 17 silenced');
  expect(shown({ ...counts, firing: 12 })).toContain('Alerts 12 – firing 17 silenced');
  expect(shown({ ...counts, account: 'shop', firing: 3 })).toContain('None firing');
  expect(shown({ ...counts, account: 'shop', firing: 3 })).toContain('3 in other accounts');
});

it('links the summaries of alerts to their subjects', () => {
  const labels = { account: 'main', proxy_id: 'fr 1' };
  const shown = alertTable(
    { evaluated: true, evaluated_at: iso(0), data: [group([alert({ labels })])] },
    NOW,
  );
  expect(shown.toString()).toContain('<a href="?account=main&amp;view=proxy&amp;id=fr+1">A proxy fails.</a>');
});

it('shows the description and the runbook of an alert once', () => {
  const one = { ...alert({ description: 'What to do', runbook: 'https://example.com/a' }), receivers: [] };
  const shown = aboutAlert({ data: [one, one], next_cursor: null, inactive: [] }).toString();
  expect(shown.split('What to do')).toHaveLength(2);
  expect(shown.split('<a href="https://example.com/a">Runbook</a>')).toHaveLength(2);
});
