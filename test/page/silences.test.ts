// Tests how the page shows silenced alerts, and the list of silences and maintenance windows.

import { expect, it } from 'vitest';
import { matchesSubject } from '../../src/alerts/muting/mute.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import type { Alert, MaintenanceWindow, Silence } from '../../src/page/answers.ts';
import { scopesOf } from '../../src/page/views/action-buttons.ts';
import { aboutAlert, activeAlerts } from '../../src/page/views/alert-history.ts';
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
  silenced_by: [{ silence: '1', comment, maintenance: null, until_resolved: false }],
});

const silence = (part: Partial<Silence> = {}): Silence => ({
  ...{ id: '1', state: 'active', account: 'main', alert: 'ProxyFailing', subject: null, comment: 'Anna' },
  ...{ starts_at: iso(-1), ends_at: iso(2), until_resolved: false },
  ...part,
});
const window = (part: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  ...{ name: 'weekly', days: ['sun'], hours: '12:00-15:00', time_zone: 'UTC', accounts: null, alerts: null },
  ...{ active_until: iso(3), next_start_at: null },
  ...part,
});

it('a silence of one subject matches no other, in any order of labels', () => {
  for (const { name, labels } of ALERTS) {
    const subject = (value: string) => ({
      shard: '1',
      ...Object.fromEntries(labels.map((label) => [label, value])),
    });
    for (const sorted of [
      subject('a'),
      Object.fromEntries(Object.entries(subject('a')).toSorted()),
      Object.fromEntries(Object.entries(subject('a')).toSorted().toReversed()),
    ]) {
      const [scope] = scopesOf(name, [{ labels: { account: 'main', ...sorted } }]);
      const matches = (value: string) => matchesSubject({ labels: subject(value) }, scope?.subject ?? null);
      expect([name, matches('a'), matches('b')]).toEqual([name, true, labels.length === 0]);
    }
    const [whole] = scopesOf(name, [{ labels: { account: 'main' } }]);
    expect([name, whole?.subject]).toEqual([name, labels.includes('graph') ? 'graph=' : undefined]);
    const product = labels.includes('product_type') && labels.length > 1;
    const [scope] = scopesOf(name, [{ labels: { product_type: 'mobile', proxy_user_id: 'u1' } }]);
    if (product) expect(scope?.subject).toBe('proxy_user_id=u1');
  }
});

it('alerts about both products of a user need one silence', () => {
  const labels = ['residential', 'mobile'].map((type) => ({ product_type: type, proxy_user_id: 'u1' }));
  expect(
    scopesOf(
      'ProxyUserQuotaLow',
      labels.map((each) => ({ labels: each })),
    ),
  ).toEqual([{ alert: 'ProxyUserQuotaLow', subject: 'proxy_user_id=u1' }]);
});

it('the list has what is in effect or planned, and what it matches', () => {
  const data = [
    silence({ state: 'expired', comment: 'over' }),
    silence({ comment: '<Anna>' }),
    silence({ state: 'pending', comment: 'move', alert: null, starts_at: iso(5), ends_at: iso(7) }),
  ];
  const onIt = silence({ comment: 'on it', until_resolved: true });
  expect(textOf(silenceTable({ data: [onIt], maintenance: [] }, NOW))).toMatch(
    /on it \S+ \S+ the alert is resolved, or \S+ \S+ in 2 h/,
  );
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
    / account main, alert ProxyFailing – Silence &lt;Anna&gt; .* in 2 h End now account main – Planned silence move /,
  );
  expect(textOf(silenceTable({ data, maintenance: [] }, NOW, 'main'))).toMatch(
    / alert ProxyFailing – Silence .* all alerts – Planned silence move /,
  );
  expect(textOf(silenceTable({ data, maintenance: [] }, NOW, 'shop'))).toContain('account main, alert');
  expect(text).toMatch(
    / all alerts – Maintenance window weekly – .* in 3 h – account main, shop, alert DataStale – .* some /,
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

it('shows the description and the runbook of an alert once', () => {
  const one = { ...alert({ description: 'What to do', runbook: 'https://example.com/a' }), receivers: [] };
  const shown = aboutAlert({ data: [one, one], next_cursor: null, inactive: [] }).toString();
  expect(shown.split('What to do')).toHaveLength(2);
  expect(shown.split('<a href="https://example.com/a">Runbook</a>')).toHaveLength(2);
});
