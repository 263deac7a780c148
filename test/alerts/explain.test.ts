// Tests what explains why receivers were notified of an alert, or not: filters, mutes, waits and repetitions.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { START } from './alert-rig.ts';
import { at, started } from './explain-support.ts';
import { hookOf } from './group-support.ts';

describe('a receiver that was not notified', () => {
  it('has the filters that reject the alert', async () => {
    await using test = await started([
      { name: 'pager', min_severity: 'critical' },
      { name: 'shop', accounts: ['other'], alerts: ['DataStale'] },
    ]);
    await test.fire('a');
    expect(await test.notices()).toMatchObject([
      { receiver: 'pager', type: 'webhook', status: 'filtered', reasons: [{ reason: 'min_severity' }] },
      { receiver: 'shop', status: 'filtered', reasons: [{ reason: 'accounts' }, { reason: 'alerts' }] },
    ]);
    expect(await test.texts()).toEqual({
      pager: "not notified: severity warning is below this receiver's min_severity (critical)",
      shop: "not notified: account main is not in this receiver's accounts; Low is not in this receiver's alerts",
    });
  });

  it('waits for group_wait, then for group_interval', async () => {
    await using test = await started([{}]);
    await test.fire('a');
    expect(await test.texts()).toEqual({
      hook: `not notified yet: the notification is due at ${at(30 * SECOND)} (group_wait: 30s)`,
    });
    await test.rig.pass(MINUTE);
    await test.fire('b');
    expect(await test.notices('Low', 'b')).toMatchObject([
      {
        status: 'waiting',
        dueAt: START + 5 * MINUTE + 30 * SECOND,
        reasons: [{ reason: 'group_interval', until: START + 5 * MINUTE + 30 * SECOND }],
        text: `not notified yet: the notification is due at ${at(5 * MINUTE + 30 * SECOND)} (group_interval: 5m)`,
      },
    ]);
  });

  it('gets the alert with an earlier repetition of its group', async () => {
    await using test = await started([{ group_interval: '1m', repeat_every: '2m' }]);
    await test.fire('a');
    await test.rig.pass(2 * MINUTE + 15 * SECOND);
    await test.fire('b');
    expect(await test.notices('Low', 'b')).toMatchObject([
      { status: 'waiting', dueAt: START + 150 * SECOND },
    ]);
  });

  it('waits until the alert fires, or has fired for `after`', async () => {
    await using test = await started([{}, { name: 'manager', after: '1h' }]);
    test.slow.subjects.set('a', 1);
    await test.fire('a');
    const pending = `not notified: the alert is pending. It fires at ${at(10 * MINUTE)} if its condition still holds`;
    expect(await test.texts('Slow')).toEqual({ hook: pending, manager: pending });
    await test.rig.pass(MINUTE);
    expect(await test.texts()).toMatchObject({
      manager: `not notified: this receiver gets an alert after it has fired for 1h (after), at ${at(HOUR)}. The notification is due at ${at(HOUR + 30 * SECOND)}`,
    });
    await test.rig.restart();
    expect(await test.texts('Slow')).toMatchObject({
      hook: 'not notified: the alert is pending, and its condition has not been evaluated since the daemon last started or paused',
    });
  });

  it('has the silences and maintenance windows, each with its own end', async () => {
    await using test = await started([{}], {
      maintenance: [
        { name: 'monday', days: ['mon'], hours: '11-15' },
        { name: 'never', hours: '00-01' },
      ],
    });
    await test.rig.silence('a', START + HOUR);
    await test.rig.silence('b', START + HOUR);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    expect(await test.notices()).toMatchObject([
      {
        status: 'kept_back',
        reasons: [
          { reason: 'maintenance', maintenance: 'monday', until: START + 3 * HOUR },
          { reason: 'silence', silence: 'silence-1', comment: 'test', until: START + HOUR },
        ],
        dueAt: START + 3 * HOUR,
        text: `not notified: maintenance window monday until ${at(3 * HOUR)}; silence silence-1 until ${at(HOUR)} (test). The notification is due at ${at(3 * HOUR)}`,
      },
    ]);
  });

  it('has a window that never ends, and a silence that begins before the notification is due', async () => {
    await using test = await started([{ group_wait: '5m' }], { maintenance: [] });
    const { mutes } = test.rig.alerting;
    const later = { account: null, alert: 'Low', subject: null, comment: 'later', untilResolved: false };
    await mutes.add({ ...later, id: 's', startsAt: START + MINUTE, endsAt: START + HOUR });
    await test.fire('a');
    expect(await test.texts()).toEqual({ hook: `not notified: silence s until ${at(HOUR)} (later)` });
    test.rig.section = { ...test.rig.section, maintenance: [{ name: 'always', hours: '00-24' }] };
    await test.rig.reload();
    expect(await test.notices()).toMatchObject([{ status: 'kept_back', dueAt: null }]);
    expect(await test.texts()).toEqual({ hook: 'not notified: maintenance window always without end' });
  });

  it('says at once that a removed silence no longer keeps the alert back', async () => {
    await using test = await started([{}]);
    const id = await test.rig.silence('a', START + HOUR);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.rig.alerting.mutes.remove(id, test.rig.clock.now());
    expect(await test.notices()).toMatchObject([{ status: 'notified', notifiedAt: START + MINUTE }]);
  });
});

describe('a notified receiver', () => {
  it('has the time of the notification about the alert, not of the group, also after a restart', async () => {
    await using test = await started([{}]);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.fire('b');
    await test.rig.pass(5 * MINUTE);
    const expected = {
      hook: `notified at ${at(30 * SECOND)}; next repetition at ${at(4 * HOUR + 330 * SECOND)}`,
    };
    expect(await test.texts()).toEqual(expected);
    await test.rig.restart();
    expect(await test.texts()).toEqual(expected);
  });

  it('keeps its time if the alert ends and fires again before the end is due', async () => {
    await using test = await started([{}]);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    test.low.subjects.clear();
    await test.rig.run();
    await test.rig.restart();
    await test.fire('a', 'b');
    expect(await test.texts()).toEqual({ hook: `notified at ${at(30 * SECOND)}` });
    await test.rig.pass(10 * MINUTE);
    expect(await test.notices()).toMatchObject([{ status: 'notified', notifiedAt: START + 30 * SECOND }]);
    await test.rig.restart();
    expect(await test.notices()).toMatchObject([{ status: 'notified', notifiedAt: START + 30 * SECOND }]);
  });

  it('has the newer time if it was notified of the end and then again', async () => {
    await using test = await started([{}]);
    await test.fire('a', 'b');
    await test.rig.pass(MINUTE);
    test.low.subjects.delete('a');
    await test.rig.run();
    await test.rig.pass(10 * MINUTE);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    const notifiedAt = START + 11 * MINUTE + 30 * SECOND;
    expect(await test.notices()).toMatchObject([{ status: 'notified', notifiedAt }]);
    await test.rig.restart();
    expect(await test.notices()).toMatchObject([{ status: 'notified', notifiedAt }]);
  });

  it('is not notified again of an alert that fires again while a silence lasts', async () => {
    await using test = await started([{}]);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.rig.silence('a', START + HOUR);
    test.low.subjects.clear();
    await test.rig.run();
    await test.fire('a');
    expect(await test.notices()).toMatchObject([
      { status: 'notified', reasons: [{ reason: 'silence' }], repeatAt: null },
    ]);
  });

  it('does not count as notified of an alert that ended and is pending again', async () => {
    await using test = await started([{}]);
    test.slow.subjects.set('a', 1);
    await test.rig.run();
    await test.rig.pass(11 * MINUTE);
    expect(await test.notices('Slow')).toMatchObject([{ status: 'notified' }]);
    test.slow.subjects.clear();
    await test.rig.run();
    test.slow.subjects.set('a', 1);
    await test.rig.run();
    expect(await test.notices('Slow')).toMatchObject([
      { status: 'kept_back', reasons: [{ reason: 'pending' }] },
    ]);
  });

  it('has what keeps repetitions back', async () => {
    await using test = await started([{ repeat_every: '1h' }]);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.rig.silence('a', START + 3 * HOUR);
    expect(await test.notices()).toMatchObject([{ status: 'notified', repeatAt: START + 3 * HOUR }]);
    expect(await test.texts()).toEqual({
      hook: `notified at ${at(30 * SECOND)}; not repeated: silence silence-1 until ${at(3 * HOUR)} (test)`,
    });
    test.rig.section = { ...test.rig.section, maintenance: [{ name: 'always', hours: '00-24' }] };
    await test.rig.reload();
    expect(await test.notices()).toMatchObject([
      { repeatAt: null, reasons: [{ reason: 'maintenance' }, {}] },
    ]);
    test.rig.section = { receivers: [hookOf(test.server, { min_severity: 'critical' })] };
    await test.rig.reload();
    expect(await test.texts()).toEqual({
      hook: `notified at ${at(30 * SECOND)}; not repeated: severity warning is below this receiver's min_severity (critical)`,
    });
  });
});

it('an Alertmanager gets all firing alerts, and a heartbeat none', async () => {
  await using alertmanager = await FakeReceiver.start();
  await using test = await started([
    { type: 'alertmanager', urls: [alertmanager.url] },
    { type: 'alertmanager', name: 'down', urls: [alertmanager.url, 'http://127.0.0.1:9'] },
    { type: 'heartbeat', url: `${alertmanager.url}/ping` },
  ]);
  await test.rig.silence('a', START + HOUR);
  test.slow.subjects.set('a', 1);
  await test.fire('a');
  await test.rig.pass(MINUTE);
  expect((await test.notices()).map(({ status }) => status)).toEqual([
    'notified',
    'delivery_failing',
    'no_alerts',
  ]);
  expect(await test.texts()).toEqual({
    alertmanager:
      'notified every minute. The routes, silences and inhibition rules of this Alertmanager decide who gets a message',
    down: `not notified: at least one server of this Alertmanager has not accepted alerts since ${at(0)}. proxywatch sends them again`,
    heartbeat: 'gets only heartbeats, and no alerts',
  });
  expect(await test.notices('Slow')).toMatchObject([
    { status: 'kept_back', reasons: [{ reason: 'pending', until: START + 10 * MINUTE }] },
    { status: 'kept_back' },
    { status: 'no_alerts' },
  ]);
});
