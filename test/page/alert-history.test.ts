// Tests how the page shows the history of alerts.

import { expect, it } from 'vitest';
import type { Episode } from '../../src/page/answers.ts';
import { alertHistoryTable } from '../../src/page/views/alert-history.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const iso = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();

const episode = (part: Partial<Episode> = {}): Episode => ({
  ...{ alert: 'ProxyFailing', severity: 'critical', state: 'resolved' },
  ...{ labels: { account: 'main', proxy_id: 'fr-1' }, since: iso(-70), firing_since: iso(-60) },
  ...{ ended_at: iso(-15), value: 1, last_value: 1, notified: [] },
  ...part,
});

/** Returns the text of each row. */
const rowsOf = (episodes: readonly Episode[]): string[] =>
  [
    ...alertHistoryTable(episodes, NOW)
      .toString()
      .matchAll(/<tr role="row"><th role="rowheader"[\s\S]*?<\/tr>/g),
  ].map(([row]) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

it('shows for how long an alert fired, who was notified when, and accounts if there are several', () => {
  const team = { receiver: 'team', firing_at: iso(-59), delivery: 'waiting' as const, resolved_at: null };
  const aware = { receiver: '<pager>', firing_at: null, delivery: 'unknown' as const, resolved_at: iso(-10) };
  const own = { labels: { collector: 'x', graph: 'y' }, state: 'firing' as const, ended_at: null };
  expect(rowsOf([episode()])).toEqual([expect.not.stringContaining('main')]);
  expect(rowsOf([episode(), episode({ labels: { account: 'shop' } })])).toEqual([
    expect.stringContaining(' main fr-1 '),
    expect.stringContaining(' shop – '),
  ]);
  expect(rowsOf([episode({ notified: [team, aware] }), episode(own), episode({ labels: {} })])).toEqual([
    expect.stringMatching(
      /^ProxyFailing – Resolved \(critical\) main fr-1 2026-\S+ \d\d:\d\d 45 min team 2026-\S+ \d\d:\d\d \(waits\) , &lt;pager&gt;$/,
    ),
    expect.stringMatching(/^ProxyFailing ✕ Firing \(critical\) the daemon x, y 2026-\S+ \d\d:\d\d 60 min –$/),
    expect.stringMatching(/ the daemon – 2026/),
  ]);
});

it('an empty history has no table', () => {
  expect(alertHistoryTable([], NOW).toString()).toContain('no alerts that fired');
});
