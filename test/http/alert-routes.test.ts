// Tests GET /api/v1/alerts: firing and pending alerts, by account and page by page.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ActiveAlert } from '../../src/http/alert-view.ts';
import type { StoredAlert } from '../../src/store/alert-store.ts';
import { alertView, defaultDescriber, NOW, startServer } from './support.ts';

const alertOf = (
  account: string,
  labels: Record<string, string>,
  part: Partial<StoredAlert> = {},
): StoredAlert => ({
  ...{ account, alert: 'Low', labels, severity: 'warning', value: 0.5 },
  ...{ step: 0, since: NOW - 60_000, firingSince: NOW, absentSince: null, skippedMs: 0, endedAt: null },
  ...part,
});

const ALERTS = [
  alertOf('main', { subject: 'a' }),
  alertOf('main', { subject: 'b' }, { firingSince: null, value: Number.NaN }),
  alertOf('shop', { subject: 'a' }),
  alertOf('', { receiver: 'hook' }, { alert: 'NotificationsFailing' }),
];

const serve = () => startServer({ alerts: alertView(ALERTS) });

interface Answer {
  readonly data: readonly ActiveAlert[];
  readonly next_cursor: string | null;
}

/** Reads all pages of a list from a cursor on. */
const listAt = async (url: string, parameters: string, from = ''): Promise<ActiveAlert[]> => {
  const seen: ActiveAlert[] = [];
  for (let cursor: string | null = from; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { data, next_cursor } = (await (
      await fetch(`${url}/api/v1/alerts?${parameters}${after}`)
    ).json()) as Answer;
    seen.push(...data);
    cursor = next_cursor;
  }
  return seen;
};

it('returns firing and pending alerts', async () => {
  await using server = await serve();
  const answer = await (await fetch(`${server.url}/api/v1/alerts?account=main`)).json();
  expect(answer).toEqual({
    evaluated: true,
    evaluated_at: '2026-03-01T12:00:00.000Z',
    data: [
      {
        alert: 'Low',
        severity: 'warning',
        state: 'firing',
        labels: { account: 'main', subject: 'a' },
        since: '2026-03-01T11:59:00.000Z',
        firing_since: '2026-03-01T12:00:00.000Z',
        value: 0.5,
        summary: 'Low',
        description: null,
        runbook: null,
        silenced_until: null,
        silenced_by: [],
      },
      expect.objectContaining({ state: 'pending', firing_since: null, value: null }),
    ],
    next_cursor: null,
    total: 2,
  });
});

it('returns the alerts of all accounts and of the daemon page by page', async () => {
  await using server = await serve();
  expect((await listAt(server.url, 'sort=id&limit=1')).map(({ labels }) => labels)).toEqual([
    { receiver: 'hook' },
    { account: 'main', subject: 'a' },
    { account: 'main', subject: 'b' },
    { account: 'shop', subject: 'a' },
  ]);
});

it('formats only the texts of the alerts on the page', async () => {
  let described = 0;
  const describe: typeof defaultDescriber = (alert) => {
    described += 1;
    return defaultDescriber(alert);
  };
  const many = Array.from({ length: 5_000 }, (_, index) => alertOf('main', { subject: `${index}` }));
  await using server = await startServer({ alerts: alertView([...ALERTS, ...many], { describe }) });
  await fetch(`${server.url}/api/v1/alerts?account=main&limit=10`);
  expect(described).toBe(10);
  await fetch(`${server.url}/api/v1/status`);
  expect(described).toBe(10 + 100);
});

it('continues after the last alert of a page, whichever alerts began or ended meanwhile', async () => {
  const subjects = fc.uniqueArray(
    fc.record({ alert: fc.constantFrom('A', 'AB', 'B'), subject: fc.string() }),
    { selector: ({ alert, subject }) => `${alert} ${subject}`, minLength: 1, maxLength: 30 },
  );
  const stored = (list: readonly { alert: string; subject: string }[]) =>
    list.map(({ alert, subject }) => alertOf('main', { subject, other: 'x' }, { alert }));
  const idOf = ({ alert, labels: { account: _, ...own } }: ActiveAlert) =>
    `${alert} ${JSON.stringify(Object.entries(own))}`;
  await fc.assert(
    fc.asyncProperty(subjects, subjects, fc.integer({ min: 1, max: 7 }), async (first, second, limit) => {
      const view = { ...alertView([]), revision: 1, find: alertView([]).find, items: alertView([]).items };
      const show = (list: typeof first, revision: number): void => {
        const { items, find } = alertView(stored(list));
        Object.assign(view, { items, find, revision });
      };
      show(first, 1);
      await using server = await startServer({ alerts: view });
      const all = await listAt(server.url, 'sort=id&limit=100');
      expect(all).toHaveLength(first.length);
      const page = (await (
        await fetch(`${server.url}/api/v1/alerts?sort=id&limit=${limit}`)
      ).json()) as Answer;
      expect(page.data).toEqual(all.slice(0, limit));
      if (page.next_cursor === null) return;
      show(second, 2);
      const rest = await listAt(server.url, `sort=id&limit=${limit}`, page.next_cursor);
      const whole = await listAt(server.url, 'sort=id&limit=100');
      const last = idOf(page.data.at(-1) as ActiveAlert);
      expect(rest).toEqual(whole.filter((each) => idOf(each) > last));
    }),
    { numRuns: 10 },
  );
});

it('rejects an account that is not configured', async () => {
  await using server = await serve();
  expect((await fetch(`${server.url}/api/v1/alerts?account=nobody`)).status).toBe(400);
});

it('are counted in the status too', async () => {
  await using server = await serve();
  const status = await (await fetch(`${server.url}/api/v1/status`)).json();
  expect(status).toMatchObject({ alerts_evaluated: true, alerts_firing: 3, alerts_pending: 1 });
  expect((status as { alerts: object[] }).alerts).toHaveLength(3);
});

it('do not count as firing in the status while they are silenced', async () => {
  const alerts = ['critical', 'warning'].map((severity) =>
    alertOf('main', { subject: severity }, { alert: 'A', severity, firingSince: NOW }),
  );
  const silenced = { until: NOW + 1_000, by: [] };
  const view = alertView(alerts, {
    mutedNow: ({ severity }) => (severity === 'critical' ? silenced : undefined),
  });
  await using server = await startServer({ alerts: view });
  const status = await (await fetch(`${server.url}/api/v1/status`)).json();
  expect(status).toMatchObject({ alerts_firing: 1, alerts_silenced: 1, alerts_pending: 0 });
});
