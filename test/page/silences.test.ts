// Tests how the page shows silenced alerts, and the list of silences and maintenance windows.

import { expect, it } from 'vitest';
import type { Alert, MaintenanceWindow, Silence } from '../../src/page/answers.ts';
import { alertTable } from '../../src/page/views/alerts.ts';
import { silenceTable } from '../../src/page/views/silences.ts';

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

const rowsOf = (data: readonly Alert[]): string[] =>
  textOf(alertTable({ evaluated: true, evaluated_at: iso(0), data, next_cursor: null }, NOW))
    .split('ProxyFailing ')
    .slice(1);

it('silenced alerts have rows of their own below the others, with the end and the reason', () => {
  const window = { silence: null, comment: null, maintenance: 'weekly' };
  const data = [
    alert(silencedFor(2.5, 'Anna')),
    alert({ severity: 'info' }),
    alert({ state: 'pending', silenced_until: iso(4), silenced_by: [window] }),
  ];
  expect(rowsOf(data)).toEqual([
    expect.stringMatching(/^– Firing \(info\) 1 main 60 min ago A proxy fails\./),
    expect.stringMatching(/^– Silenced \(critical\) 1 .* Silenced, ends in 2 h \(Anna\)\. A proxy fails\./),
    expect.stringMatching(/^– Pending \(critical\) 1 .* Silenced, ends in 4 h \(weekly\)\. A proxy/),
  ]);
});

it('a row of alerts with different silences names the first end', () => {
  const data = ['d', 'c', 'b', 'a'].map((comment, index) => alert(silencedFor(index + 2, comment)));
  expect(rowsOf(data)).toEqual([
    expect.stringMatching(
      / 4 main .* Silenced, the first silence ends in 2 h \(d, c, b, …\)\. A proxy fails\. and 3 more/,
    ),
  ]);
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
