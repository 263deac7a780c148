// Tests GET /api/v1/alerts/groups: every alert is counted in one group, and the groups have the order of urgency.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AlertGroup, AlertGroups } from '../../src/page/answers.ts';
import type { StoredAlert } from '../../src/store/alert-store.ts';
import { noticeState } from '../../src/store/notice.ts';
import { alertView, defaultDescriber, NOW, startServer } from './support.ts';

const SEVERITIES = ['critical', 'warning', 'info'];

interface Made {
  readonly account: string;
  readonly alert: string;
  readonly severity: string;
  readonly isFiring: boolean;
  readonly age: number;
  /** Hours until the end of its silence; null if it is not silenced. */
  readonly silencedFor: number | null;
}

const made = fc.record({
  account: fc.constantFrom('', 'main', 'shop'),
  alert: fc.constantFrom('A', 'AB', 'B'),
  severity: fc.constantFrom(...SEVERITIES),
  isFiring: fc.boolean(),
  age: fc.integer({ min: 1, max: 100 }),
  silencedFor: fc.option(fc.integer({ min: 1, max: 9 }), { nil: null }),
});

const stored = ({ account, alert, severity, isFiring, age }: Made, index: number): StoredAlert => ({
  ...{
    account,
    alert,
    severity,
    labels: { subject: `${index}` },
    value: 1,
    step: 0,
    since: NOW - age * 60_000,
  },
  ...{ firingSince: isFiring ? NOW - age * 60_000 : null, absentSince: null, skippedMs: 0, endedAt: null },
});

const serve = (alerts: readonly Made[], describe = defaultDescriber) =>
  startServer({
    alerts: alertView(alerts.map(stored), {
      describe,
      mutedNow: ({ labels }) => {
        const hours = alerts[Number(labels.subject)]?.silencedFor ?? null;
        return hours === null ? undefined : { until: NOW + hours * 3_600_000, by: [] };
      },
    }),
  });

const groupsAt = async (url: string, query = ''): Promise<AlertGroup[]> =>
  ((await (await fetch(`${url}/api/v1/alerts/groups${query}`)).json()) as { data: AlertGroup[] }).data;

const keyOf = (
  each: { readonly alert: string; readonly severity: string; readonly state: string },
  silenced: boolean,
) =>
  [each.state === 'firing' ? 0 : 1, silenced ? 1 : 0, SEVERITIES.indexOf(each.severity), each.alert].join(
    ' ',
  );

it('count each alert once, with its earliest start and first end of a silence', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(made, { maxLength: 40 }), async (alerts) => {
      await using server = await serve(alerts);
      const groups = await groupsAt(server.url);
      const expected = Map.groupBy(alerts, (each) =>
        keyOf({ ...each, state: each.isFiring ? 'firing' : 'pending' }, each.silencedFor !== null),
      );
      expect(groups.map((group) => keyOf(group, group.silenced_until !== null))).toEqual(
        [...expected.keys()].sort(),
      );
      for (const group of groups) {
        const own = expected.get(keyOf(group, group.silenced_until !== null)) ?? [];
        const accounts = new Set(own.flatMap(({ account }) => account || []));
        expect(group).toMatchObject({ count: own.length, account_count: accounts.size });
        expect(Date.parse(group.since)).toBe(NOW - Math.max(...own.map(({ age }) => age)) * 60_000);
        const ends = own.map(({ silencedFor }) => (silencedFor ?? Number.NaN) * 3_600_000 + NOW);
        expect(Date.parse(String(group.silenced_until))).toBe(Math.min(...ends));
        expect(group.examples).toHaveLength(Math.min(5, own.length));
        for (const { alert, severity, state } of group.examples)
          expect([alert, severity, state]).toEqual([group.alert, group.severity, group.state]);
      }
    }),
    { numRuns: 25 },
  );
});

const one: Made = {
  ...{ account: 'main', alert: 'A', severity: 'warning', isFiring: true, age: 1, silencedFor: null },
};

it('have only the alerts of the requested accounts', async () => {
  await using server = await serve([one, { ...one, account: 'shop' }, { ...one, account: '' }]);
  expect(await groupsAt(server.url, '?account=shop')).toMatchObject([
    { count: 1, accounts: ['shop'], account_count: 1 },
  ]);
  expect(await groupsAt(server.url)).toMatchObject([{ count: 3, accounts: ['main', 'shop'] }]);
  expect((await fetch(`${server.url}/api/v1/alerts/groups?account=nobody`)).status).toBe(400);
});

it('count the alerts of each account, silenced ones apart', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(made, { maxLength: 40 }), async (alerts) => {
      await using server = await serve(alerts);
      const { counts } = (await (await fetch(`${server.url}/api/v1/alerts/groups`)).json()) as AlertGroups;
      const expected = Object.entries(Object.groupBy(alerts, ({ account }) => account)).map(
        ([account, own = []]) => {
          const firing = own.filter(({ isFiring, silencedFor }) => isFiring && silencedFor === null);
          return {
            account: account || null,
            firing: firing.length,
            silenced: own.filter(({ isFiring, silencedFor }) => isFiring && silencedFor !== null).length,
            pending: own.filter(({ isFiring }) => !isFiring).length,
            worst_severity:
              SEVERITIES.find((each) => firing.some(({ severity }) => severity === each)) ?? null,
          };
        },
      );
      expect(new Set(counts)).toEqual(new Set(expected));
    }),
    { numRuns: 25 },
  );
});

it('write the texts of a few alerts only', async () => {
  let described = 0;
  const describe: typeof defaultDescriber = (alert) => {
    described += 1;
    return defaultDescriber(alert);
  };
  await using server = await serve(
    Array.from({ length: 5_000 }, () => one),
    describe,
  );
  expect(await groupsAt(server.url)).toMatchObject([{ count: 5_000 }]);
  expect(described).toBe(5);
});

it('an account can be joined by the alerts about the daemon, and a group has the receivers of its first alert', async () => {
  const about = { alert: 'A', severity: 'warning', isFiring: true, age: 1, silencedFor: null };
  const alerts = ['', 'main', 'shop'].map((account) => stored({ ...about, account }, 0));
  const notice = { ...noticeState({ status: 'notified', notifiedAt: NOW }), type: 'webhook', text: '' };
  await using server = await startServer({
    alerts: alertView(alerts),
    notices: {
      find: () => ({ refusal: '' }),
      noticesOf: async ({ account }) => [{ ...notice, receiver: `of ${account}` }],
    },
  });
  const receivers = [{ receiver: 'of ', status: 'notified', notified_at: '2026-03-01T12:00:00.000Z' }];
  expect(await groupsAt(server.url, '?account=shop&with_daemon=true')).toMatchObject([
    { count: 2, accounts: ['shop'], receivers },
  ]);
});
