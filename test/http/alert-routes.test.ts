// GET /api/v1/alerts: what fires and what is pending, by account and page by page.

import { expect, it } from 'vitest';
import type { ActiveAlert } from '../../src/http/view.ts';
import { NOW, startServer } from './support.ts';

const alertOf = (labels: Record<string, string>, part: Partial<ActiveAlert> = {}): ActiveAlert => ({
  alert: 'Low',
  severity: 'warning',
  labels,
  since: NOW - 60_000,
  firingSince: NOW,
  value: 0.5,
  summary: 'something is low.',
  runbook: 'docs/alerts.md#low',
  ...part,
});

const ALERTS = [
  alertOf({ account: 'main', subject: 'a' }),
  alertOf({ account: 'main', subject: 'b' }, { firingSince: null, value: null }),
  alertOf({ account: 'shop', subject: 'a' }),
  alertOf({ receiver: 'hook' }, { alert: 'NotificationsFailing' }),
];

const serve = () => startServer({ alerts: () => ({ isEvaluated: true, evaluatedAt: NOW, alerts: ALERTS }) });

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
        summary: 'something is low.',
        runbook: 'docs/alerts.md#low',
      },
      expect.objectContaining({ state: 'pending', firing_since: null, value: null }),
    ],
    next_cursor: null,
  });
});

it('tells of all accounts and of the daemon, page by page', async () => {
  await using server = await serve();
  const seen: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const parameters: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const answer = await (await fetch(`${server.url}/api/v1/alerts?limit=1${parameters}`)).json();
    const { data, next_cursor } = answer as { data: ActiveAlert[]; next_cursor: string | null };
    seen.push(...data.map(({ labels }) => labels));
    cursor = next_cursor;
  }
  expect(seen).toHaveLength(4);
  expect(seen).toEqual(expect.arrayContaining(ALERTS.map(({ labels }) => labels)));
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
