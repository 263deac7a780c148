// Tests the stored history of alerts: pages, filters, its limits, the retention, and the correction of times.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesSubject } from '../../src/alerts/muting/mute.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { EpisodeFilter } from '../../src/store/alert-history-store.ts';
import type { AlertEvent, AlertStore, StoredAlert } from '../../src/store/alert-store.ts';
import { createDatabase } from '../../src/store/sqlite/file/database.ts';
import { openFile } from '../../src/store/sqlite/file/open.ts';
import { createAlertStore } from '../../src/store/sqlite/notifications/alerts.ts';
import { createAlertHistoryStore } from '../../src/store/sqlite/notifications/history.ts';
import { cases } from '../support/fuzz.ts';
import { makeFolder, openStore, START, TestStore } from './support.ts';

const alertOf = (subject: string, part: Partial<StoredAlert> = {}): StoredAlert => ({
  ...{ account: 'main', alert: 'Low', labels: { subject }, severity: 'warning', value: 1 },
  ...{ since: START, firingSince: START, absentSince: null, skippedMs: 0, endedAt: null, step: 0 },
  ...part,
});
const fired = (alert: StoredAlert, at = START): AlertEvent => ({ kind: 'fired', alert, at });
const resolved = (alert: StoredAlert, at = START): AlertEvent => ({ kind: 'resolved', alert, at });

const record = (store: AlertStore, ...events: readonly AlertEvent[]): Promise<unknown> =>
  store.save({ put: [], removed: [], notifications: [], events });

/** A store whose history has at most `maxEpisodes`. */
const limitedTo = (maxEpisodes: number) => {
  const sql = openFile(join(makeFolder(), 'store.db'), { isDurable: false });
  const db = createDatabase(sql, 0, () => {});
  const history = createAlertHistoryStore(db);
  return {
    store: createAlertStore(db, maxEpisodes),
    subjects: async () => (await history.page({}, 100)).map(({ labels }) => labels.subject),
    [Symbol.dispose]: () => void sql.close(),
  };
};

it('filters episodes by every field', async () => {
  using test = new TestStore();
  const { alerts, alertHistory } = test.store;
  await record(
    alerts,
    fired(alertOf('a')),
    fired(alertOf('b', { severity: 'info' }), START + 1),
    fired(alertOf('a', { account: 'shop' }), START + 2),
    fired(alertOf('c', { alert: 'High' }), START + 3),
    fired(alertOf('own', { account: '', alert: 'Own', value: Number.NaN }), START + 4),
    resolved(alertOf('a'), START + 5),
    fired(alertOf('a'), START + 6),
  );
  const found = async (filter: EpisodeFilter) =>
    (await alertHistory.page(filter, 9)).map(({ firingSince }) => firingSince - START);
  expect(await found({})).toEqual([6, 4, 3, 2, 1, 0]);
  expect(await found({ accounts: ['shop'] })).toEqual([2]);
  expect(await found({ accounts: ['shop', ''] })).toEqual([4, 2]);
  expect(await found({ accounts: [] })).toEqual([]);
  expect(await found({ alert: 'Low', accounts: ['main'] })).toEqual([6, 1, 0]);
  expect(await found({ alert: 'High', severity: 'info' })).toEqual([]);
  expect(await found({ severity: 'info' })).toEqual([1]);
  expect(await found({ subject: 'a' })).toEqual([6, 2, 0]);
  expect(await found({ subject: 'subject=a', state: 'resolved' })).toEqual([0]);
  expect(await found({ alert: 'Low', state: 'firing' })).toEqual([6, 2, 1]);
  expect(await found({ from: START + 1, to: START + 4 })).toEqual([3, 2, 1]);
  expect(await found({ from: START + 7 })).toEqual([]);
  expect(await found({ endedAfter: START + 4, to: START + 3 })).toEqual([2, 1, 0]);
  expect(await found({ endedAfter: START + 5, to: START + 3 })).toEqual([2, 1]);
  expect(await alertHistory.page({ alert: 'Own' }, 1)).toMatchObject([{ value: null, lastValue: null }]);
});

it('finds the subjects that a silence would match', async () => {
  using test = new TestStore();
  const { alerts, alertHistory } = test.store;
  const word = fc.oneof(
    fc.string({
      unit: fc.constantFrom('a', '=', '"', '\\', ':', ',', '{', '\u0000', '💥'),
      maxLength: 4,
    }),
    fc.string(),
  );
  const labels = fc.dictionary(
    fc.oneof(
      fc.constant('graph'),
      word.filter((name) => name !== '__proto__'),
    ),
    word,
    { maxKeys: 3 },
  );
  const subjects = (known: Record<string, string>[]) =>
    fc.oneof(
      word,
      fc.constantFrom('', ...known.flatMap((each) => Object.values(each))),
      fc.constantFrom(
        '=',
        'graph=',
        ...known.flatMap((each) => Object.entries(each).map((pair) => pair.join('='))),
      ),
    );
  const inputs = fc
    .array(labels, { minLength: 1, maxLength: 5 })
    .chain((known) => fc.tuple(fc.constant(known), subjects(known)));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(inputs, async ([known, subject]) => {
      run += 1;
      const alert = `${run}`;
      const all = known.map((each, index) => alertOf('', { alert, labels: each, severity: `${index}` }));
      await record(alerts, ...all.map((each) => fired(each)));
      const found = (await alertHistory.page({ alert, subject }, 9)).map(({ severity }) => severity);
      const expected = all.filter((each) => matchesSubject(each, subject)).map(({ severity }) => severity);
      expect(found.toSorted()).toEqual(expected);
    }),
    cases(150),
  );
});

it('a page continues below an id, whatever began or ended meanwhile, also through slices without a match', async () => {
  using test = new TestStore();
  const { alerts, alertHistory } = test.store;
  const names = Array.from({ length: 3_000 }, (_, index) => `${index}`);
  await record(
    alerts,
    ...names.map((name) => fired(alertOf(name, { severity: name === '7' ? 'info' : 'warning' }))),
  );
  const seen: (string | undefined)[] = [];
  let before: number | undefined;
  for (
    let page = await alertHistory.page({}, 700);
    page.length > 0;
    page = await alertHistory.page({}, 700, before)
  ) {
    seen.push(...page.map(({ labels }) => labels.subject));
    before = page.at(-1)?.id;
    await record(alerts, resolved(alertOf(`${seen.length}`)), fired(alertOf(`new ${seen.length}`)));
  }
  expect(seen).toEqual(names.toReversed());
  expect(await alertHistory.page({ severity: 'info' }, 9)).toMatchObject([{ labels: { subject: '7' } }]);
  expect(await alertHistory.page({ subject: '7', from: START, to: START + 1 }, 9)).toHaveLength(1);
});

it('keeps the newest episodes and those that still fire', async () => {
  using test = limitedTo(3);
  await record(test.store, fired(alertOf('long')), fired(alertOf('a')), resolved(alertOf('a'), START + 1));
  await record(test.store, fired(alertOf('b')), resolved(alertOf('b'), START + 2));
  expect(await test.subjects()).toEqual(['b', 'a', 'long']);
  await record(test.store, fired(alertOf('c')));
  expect(await test.subjects()).toEqual(['c', 'b', 'long']);
  await record(test.store, fired(alertOf('d')), fired(alertOf('e')));
  expect(await test.subjects()).toEqual(['e', 'd', 'c', 'long']);
  await record(test.store, resolved(alertOf('long'), START + 3));
  expect(await test.subjects()).toEqual(['e', 'd', 'c']);
});

it('deletes episodes with their notices when they ended before the retention of days', async () => {
  using test = new TestStore();
  const { alerts } = test.store;
  const [early, late, long] = [alertOf('early'), alertOf('late'), alertOf('long')];
  const notified = { kind: 'notified', alert: early, receiver: 'hook', at: START } as const;
  await record(alerts, fired(long), fired(early), notified, fired(late));
  await record(alerts, resolved(early, START + HOUR), resolved(late, START + 2 * HOUR));
  const { signal } = new AbortController();
  const retention = { rawMs: DAY, hourlyMs: DAY, dailyMs: DAY };
  const maintain = (now: number) => test.store.maintain({ now, retention, accounts: [], signal });
  const subjects = async () =>
    (await test.store.alertHistory.page({}, 9)).map(({ labels }) => labels.subject);
  await maintain(START + DAY + HOUR);
  expect(await subjects()).toEqual(['late', 'early', 'long']);
  expect(await maintain(START + DAY + HOUR + 1)).toEqual({ deletedRows: 1 });
  expect(await subjects()).toEqual(['late', 'long']);
  await maintain(START + 900 * DAY);
  expect(await subjects()).toEqual(['long']);
  const sql = new SQLite(test.path, { readonly: true });
  expect(sql.prepare('SELECT count(*) FROM alert_history_notice').pluck().get()).toBe(0);
  sql.close();
});

it('corrects times that lie in the future because the clock was ahead', async () => {
  const path = join(makeFolder(), 'store.db');
  using store = openStore(path);
  const alert = alertOf('a', { since: START + DAY });
  await record(
    store.alerts,
    fired(alert, START + DAY + MINUTE),
    { kind: 'notified', alert, receiver: 'hook', at: START + DAY + HOUR },
    resolved(alert, START + 2 * DAY),
  );
  await store.runs.record({
    ...{ account: 'main', collector: 'traffic', startedAt: START, finishedAt: START + 2 * DAY },
    ...{ intervalMs: HOUR, result: 'ok', isSuccess: true, errorKind: null, errorMessage: null },
    ...{ skippedItems: 0, failingParts: 0 },
  });
  await store.correctFutureTimes(START, 'main');
  expect(await store.alertHistory.page({}, 9)).toMatchObject([
    { since: START, firingSince: START, endedAt: START, notified: [{ firingAt: START, resolvedAt: null }] },
  ]);
});

it('a new episode changes the revision of its part, and a read does not', async () => {
  using test = new TestStore();
  const { store } = test;
  const before = store.revision(['alerts']);
  await store.alertHistory.page({}, 9);
  expect(store.revision(['alerts'])).toBe(before);
  await record(store.alerts, fired(alertOf('a')));
  expect(store.revision(['alerts'])).toBeGreaterThan(before);
});

it('says of each notification whether the receiver accepted it, it waits or it was given up', async () => {
  using test = new TestStore();
  const { alerts, alertHistory } = test.store;
  const subjects = ['accepted', 'waits', 'lost', 'removed'];
  const notice = (subject: string, receiver: string): AlertEvent => ({
    ...{ kind: subject === 'knew' ? 'aware' : 'notified', at: START, receiver },
    alert: alertOf(subject),
  });
  const notificationOf = (subject: string, receiver: string) => ({
    ...{ receiver, id: subject, createdAt: START },
    body: JSON.stringify({ groupKey: JSON.stringify({ account: 'main', subject }) }),
  });
  await record(
    alerts,
    ...[...subjects, 'knew'].map((subject) => fired(alertOf(subject))),
    ...[...subjects.slice(0, 3), 'knew'].map((subject) => notice(subject, 'hook')),
    notice('removed', 'gone'),
  );
  const notifications = [
    ...['accepted', 'lost', 'waits'].map((subject) => notificationOf(subject, 'hook')),
    notificationOf('removed', 'gone'),
  ];
  await alerts.save({ put: [], removed: [], notifications, receivers: ['hook', 'gone'] });
  for (const loss of [undefined, 'given_up'] as const)
    await alerts.removeNotification((await alerts.nextNotification('hook'))?.number ?? 0, loss);
  await alerts.save({ put: [], removed: [], notifications: [], receivers: ['hook'] });
  const found = (await alertHistory.page({}, 9)).map(({ labels, notified }) => [
    labels.subject,
    ...notified.map(({ delivery }) => delivery),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    ...{ accepted: 'accepted', waits: 'waiting', lost: 'given_up', removed: 'given_up', knew: 'unknown' },
  });
});

it('does not know what became of old notifications of a receiver that lost many', async () => {
  using test = new TestStore();
  const { alerts, alertHistory } = test.store;
  const notified = { kind: 'notified', alert: alertOf('a'), receiver: 'hook', at: START } as const;
  await record(alerts, fired(alertOf('a')), notified);
  const notifications = Array.from({ length: 2_001 }, (_, index) => ({
    ...{ receiver: 'hook', id: `${index}`, createdAt: START + index, body: '{}' },
  }));
  await alerts.save({ put: [], removed: [], notifications, receivers: ['hook'] });
  const [episode] = await alertHistory.page({}, 1);
  expect(episode?.notified).toMatchObject([{ delivery: 'unknown' }]);
});
