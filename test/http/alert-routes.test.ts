// GET /api/v1/alerts: what fires and what is pending, by account and page by page.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ActiveAlerts } from '../../src/alerts/active.ts';
import type { ActiveAlert } from '../../src/http/view.ts';
import type { StoredAlert } from '../../src/store/alert-store.ts';
import { alertView, NOW, nameTeller, startServer } from './support.ts';

const alertOf = (
  account: string,
  labels: Record<string, string>,
  part: Partial<StoredAlert> = {},
): StoredAlert => ({
  ...{ account, alert: 'Low', labels, severity: 'warning', value: 0.5 },
  ...{ since: NOW - 60_000, firingSince: NOW, absentSince: null, endedAt: null },
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

/** Page by page. */
const listAt = async (url: string, parameters: string): Promise<ActiveAlert[]> => {
  const seen: ActiveAlert[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const behind: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { data, next_cursor } = (await (
      await fetch(`${url}/api/v1/alerts?${parameters}${behind}`)
    ).json()) as Answer;
    seen.push(...data);
    cursor = next_cursor;
  }
  return seen;
};

it('tells what fires and what is pending', async () => {
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
        runbook: 'docs/alerts.md#low',
      },
      expect.objectContaining({ state: 'pending', firing_since: null, value: null }),
    ],
    next_cursor: null,
  });
});

it('tells of all accounts and of the daemon, page by page', async () => {
  await using server = await serve();
  expect((await listAt(server.url, 'limit=1')).map(({ labels }) => labels)).toEqual([
    { receiver: 'hook' },
    { account: 'main', subject: 'a' },
    { account: 'main', subject: 'b' },
    { account: 'shop', subject: 'a' },
  ]);
});

it('puts only the alerts of the page into words, however many there are', async () => {
  let worded = 0;
  const teller: typeof nameTeller = (alert) => {
    worded += 1;
    return nameTeller(alert);
  };
  const many = Array.from({ length: 5_000 }, (_, index) => alertOf('main', { subject: `${index}` }));
  await using server = await startServer({ alerts: alertView([...ALERTS, ...many], { teller }) });
  await fetch(`${server.url}/api/v1/alerts?account=main&limit=10`);
  expect(worded).toBe(10);
  await fetch(`${server.url}/api/v1/status`);
  expect(worded).toBe(10 + 100);
});

it('goes on behind the last alert of a page, whatever began or ended meanwhile', async () => {
  const subjects = fc.uniqueArray(
    fc.record({ alert: fc.constantFrom('A', 'AB', 'B'), subject: fc.string() }),
    {
      selector: ({ alert, subject }) => `${alert} ${subject}`,
      minLength: 1,
      maxLength: 30,
    },
  );
  const stored = (list: readonly { alert: string; subject: string }[]) =>
    list.map(({ alert, subject }) => alertOf('main', { subject, other: 'x' }, { alert }));
  await fc.assert(
    fc.asyncProperty(subjects, subjects, fc.integer({ min: 1, max: 7 }), async (first, second, limit) => {
      const before = new ActiveAlerts(stored(first));
      const [page, all] = [before.after('main', null, limit), before.after('main', null, 100)];
      expect(all).toHaveLength(first.length);
      expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted());
      expect(page).toEqual(all.slice(0, limit));
      const last = page.at(-1)?.id ?? '';
      const after = new ActiveAlerts(stored(second));
      const behind = after.after('main', null, 100).filter(({ id }) => id > last);
      expect(after.after('main', last, 100)).toEqual(behind);
    }),
  );
});

it('knows no account that is not configured', async () => {
  await using server = await serve();
  expect((await fetch(`${server.url}/api/v1/alerts?account=nobody`)).status).toBe(400);
});

it('are in the status as well, counted', async () => {
  await using server = await serve();
  const status = await (await fetch(`${server.url}/api/v1/status`)).json();
  expect(status).toMatchObject({ alerts_evaluated: true, alerts_firing: 3, alerts_pending: 1 });
  expect((status as { alerts: object[] }).alerts).toHaveLength(3);
});
