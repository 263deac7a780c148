// Tests what explains that a receiver did not accept a notification, or that the store could not queue it.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { StoreError } from '../../src/store/errors.ts';
import { START } from './alert-rig.ts';
import { at, started } from './explain-support.ts';

describe('a receiver that does not accept the notification', () => {
  it('is failing until it accepts the notification, and other alerts wait for the same receiver', async () => {
    await using test = await started([{}]);
    test.server.status = 503;
    await test.fire('a');
    await test.rig.pass(45 * SECOND);
    const failingSince = START + 30 * SECOND;
    expect(await test.notices()).toMatchObject([
      {
        status: 'delivery_failing',
        reasons: [{ reason: 'delivery' }],
        ...{ notifiedAt: null, queuedAt: failingSince, failingSince },
        text: `not notified: the receiver has accepted no notifications since ${at(30 * SECOND)}. The notification of ${at(30 * SECOND)} waits, and proxywatch sends it again`,
      },
    ]);
    await test.fire('b');
    expect(await test.texts('Low', 'b')).toEqual({
      hook: `not notified yet: the notification is due at ${at(330 * SECOND)} (group_interval: 5m). The receiver has accepted no notifications since ${at(30 * SECOND)}`,
    });
    await test.rig.restart();
    await test.rig.run();
    // The outage began before the restart.
    expect(await test.notices()).toMatchObject([{ status: 'delivery_failing', failingSince }]);
    test.server.status = 200;
    await test.rig.pass(2 * MINUTE);
    expect(await test.notices()).toMatchObject([
      {
        status: 'notified',
        queuedAt: failingSince,
        failingSince: null,
        notifiedAt: test.rig.clock.now() - 105 * SECOND,
      },
    ]);
  });

  it('rejects it, or lets it wait for more than a day', async () => {
    await using test = await started([{ repeat_every: '2d' }]);
    test.server.status = 400;
    await test.fire('a');
    await test.rig.pass(MINUTE);
    expect(await test.notices()).toMatchObject([
      {
        status: 'given_up',
        reasons: [{ reason: 'rejected' }],
        notifiedAt: null,
        text: `not notified: the receiver rejected the content of the notification, and proxywatch gave it up. The log has the reason; next repetition at ${at(48 * HOUR + 30 * SECOND)}`,
      },
    ]);
    await test.rig.restart();
    expect(await test.notices()).toMatchObject([{ status: 'given_up', reasons: [{ reason: 'rejected' }] }]);
    await test.rig.pass(10 * MINUTE, MINUTE);
    test.server.status = 503;
    await test.fire('b');
    await test.rig.pass(25 * HOUR, 10 * MINUTE);
    expect(await test.notices('Low', 'b')).toMatchObject([
      { status: 'given_up', reasons: [{ reason: 'dropped' }] },
    ]);
  });

  it('counts as notified when it accepts a repetition', async () => {
    await using test = await started([{ repeat_every: '1h' }]);
    test.server.status = 400;
    await test.fire('a');
    await test.rig.pass(MINUTE);
    test.server.status = 200;
    await test.rig.pass(HOUR, MINUTE);
    const repeatedAt = START + HOUR + 60 * SECOND;
    expect(await test.notices()).toMatchObject([
      { status: 'notified', notifiedAt: repeatedAt, queuedAt: repeatedAt },
    ]);
  });

  it('has a full queue, in which the oldest notifications are dropped', async () => {
    await using test = await started([{ group_by: ['subject'] }]);
    test.server.status = 503;
    const subjects = Array.from({ length: 1_001 }, (_, number) => `s${number}`);
    await test.fire('a');
    await test.rig.pass(MINUTE);
    await test.fire(...subjects);
    await test.rig.pass(MINUTE);
    expect(await test.notices()).toMatchObject([{ status: 'given_up', reasons: [{ reason: 'dropped' }] }]);
    expect(await test.notices('Low', 's1000')).toMatchObject([{ status: 'delivery_failing' }]);
  });

  it('cannot be notified while the store rejects writes', async () => {
    await using test = await started([{}]);
    await test.fire('a');
    const { save } = test.rig.store.alerts;
    test.rig.store.alerts.save = () => Promise.reject(new StoreError('failed', 'the disk is full'));
    await test.rig.pass(MINUTE);
    expect(await test.notices()).toMatchObject([
      {
        status: 'waiting',
        reasons: [{ reason: 'store_failing' }],
        dueAt: null,
        text: 'not notified: the store rejects writes, so proxywatch cannot queue the notification. It tries again every 15 seconds',
      },
    ]);
    test.rig.store.alerts.save = save;
  });
});
