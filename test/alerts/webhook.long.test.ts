// Tests webhooks: their bodies, that no notification is lost or sent twice, and what happens when deliveries fail.

import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { StoreError } from '../../src/store/errors.ts';
import { createFolder } from '../config/support.ts';
import { FakeReceiver, type Received, UNGROUPED } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed, DESCRIPTION, START } from './alert-rig.ts';
import { type Body, bodyOf, hookOf as groupedHookOf } from './group-support.ts';

const hookOf = (receiver: FakeReceiver, more: Record<string, unknown> = {}) => ({
  ...groupedHookOf(receiver, UNGROUPED),
  url: `${receiver.url}/token-of-its-own`,
  ...more,
});

/** The alerts that began or ended according to the notification, without those that still fire. */
const newsIn = (received: Received): Body['alerts'] => {
  const { added, resolved, alerts } = bodyOf(received);
  return alerts.slice(0, added + resolved);
};

/** All delivered alerts in order, such as `firing a`. */
const notifiedBy = (receiver: FakeReceiver): string[] =>
  receiver.accepted.flatMap((each) =>
    newsIn(each).map(({ status, labels }) => `${status} ${labels.subject}`),
  );

describe('a webhook', () => {
  it('gets the alerts that one evaluation started and ended in one notification', async () => {
    await using receiver = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
    low.subjects.set('a', 1).set('b', 2);
    await rig.run();
    low.subjects.delete('a');
    low.subjects.set('c', 3);
    await rig.pass(MINUTE);
    await rig.run();
    const [first, second, ...more] = receiver.received;
    expect(more).toEqual([]);
    expect(first).toMatchObject({ method: 'POST', path: '/token-of-its-own' });
    expect(first && JSON.parse(first.body)).toEqual({
      version: '2',
      receiver: 'hook',
      groupKey: '{}',
      groupLabels: {},
      status: 'firing',
      firing: 2,
      added: 2,
      risen: 0,
      resolved: 0,
      silenced: 0,
      truncatedAlerts: 0,
      alerts: ['a', 'b'].map((subject, index) => ({
        status: 'firing',
        labels: { alertname: 'Low', severity: 'warning', account: 'main', subject },
        annotations: { summary: `${subject} stands at ${index + 1}.`, description: DESCRIPTION },
        value: index + 1,
        startsAt: new Date(START).toISOString(),
        endsAt: null,
      })),
    });
    expect(second && bodyOf(second)).toMatchObject({
      firing: 2,
      added: 1,
      resolved: 1,
      alerts: [
        { status: 'firing', labels: { subject: 'c' } },
        {
          status: 'resolved',
          labels: { subject: 'a' },
          startsAt: new Date(START).toISOString(),
          endsAt: new Date(START + MINUTE).toISOString(),
        },
        { status: 'firing', labels: { subject: 'b' } },
      ],
    });
    expect(await rig.sample('proxywatch_notifications_total{receiver="hook",result="sent"}')).toBe(2);
    expect(await rig.sample('proxywatch_notifications_total{receiver="hook",result="failed"}')).toBe(0);
    expect(await rig.sample('proxywatch_notifications_waiting{receiver="hook"}')).toBe(0);
  });

  it('gets one notification about 500 failing proxies, which lists the first of them', async () => {
    await using receiver = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
    for (let index = 0; index < 500; index += 1) low.subjects.set(`proxy-${index}`, index);
    await rig.run();
    expect(receiver.received.map(bodyOf)).toMatchObject([{ firing: 500, truncatedAlerts: 400 }]);
    expect(receiver.received.map((each) => bodyOf(each).alerts.length)).toEqual([100]);
  });

  it('that is new gets all firing alerts, and one that is removed gets nothing', async () => {
    await using receiver = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low]);
    low.subjects.set('a', 1);
    await rig.run();
    rig.section = { receivers: [hookOf(receiver)] };
    await rig.reload();
    expect(notifiedBy(receiver)).toEqual(['firing a']);
    await rig.reload();
    await rig.restart();
    expect(notifiedBy(receiver)).toEqual(['firing a']);
    receiver.status = 503;
    low.subjects.set('b', 1);
    await rig.run();
    rig.section = { evaluate: true };
    await rig.reload();
    expect(rig.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: { receiver: 'hook', count: 1 } }),
    );
    expect(await rig.metricsText()).not.toContain('receiver="hook"');
  });
});

describe('a webhook that fails', () => {
  const failing = async (status = 503, more: Record<string, unknown> = {}) => {
    const receiver = await FakeReceiver.start();
    receiver.status = status;
    const low = alertNamed('Low');
    const rig = await AlertRig.start([low], { receivers: [hookOf(receiver, more)] });
    low.subjects.set('a', 1);
    await rig.run();
    return { receiver, low, rig };
  };

  it.each([0, 302, 401, 403, 404, 408, 410, 429, 500, 503])(
    'with status %i gets the notification again, at growing intervals',
    async (status) => {
      const { receiver, rig } = await failing(status);
      await using _ = receiver;
      await using __ = rig;
      await rig.pass(5 * MINUTE, SECOND);
      const attempts = receiver.received.length;
      expect(attempts).toBeGreaterThan(5);
      expect(attempts).toBeLessThan(12);
      expect(await rig.sample('proxywatch_notifications_waiting{receiver="hook"}')).toBe(1);
      expect(
        await rig.sample('proxywatch_notifications_waiting_since_timestamp_seconds{receiver="hook"}'),
      ).toBe(START / 1_000);
      receiver.status = 204;
      await rig.pass(10 * MINUTE, SECOND);
      expect(notifiedBy(receiver)).toEqual(['firing a']);
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(await rig.sample('proxywatch_notifications_total{receiver="hook",result="failed"}')).toBe(
        attempts,
      );
      expect(rig.lines.filter(({ fields }) => fields.receiver === 'hook').map(({ level }) => level)).toEqual([
        'warn',
      ]);
    },
  );

  it('gets no request for as long as it asks with Retry-After', async () => {
    await using receiver = await FakeReceiver.start();
    receiver.status = 429;
    receiver.headers = { 'retry-after': '600' };
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
    low.subjects.set('a', 1);
    await rig.run();
    await rig.pass(9 * MINUTE);
    expect(receiver.received).toHaveLength(1);
    await rig.pass(2 * MINUTE);
    expect(receiver.received).toHaveLength(2);
  });

  it('by rejecting a notification does not get it again, but gets the next one', async () => {
    const { receiver, low, rig } = await failing(422);
    await using _ = receiver;
    await using __ = rig;
    receiver.status = 200;
    low.subjects.set('b', 1);
    await rig.run();
    expect(notifiedBy(receiver)).toEqual(['firing b']);
    expect(await rig.sample('proxywatch_notifications_total{receiver="hook",result="given_up"}')).toBe(1);
  });

  it('for a day loses notifications of that age, counted and logged, but not those that were never tried', async () => {
    const { receiver, low, rig } = await failing();
    await using _ = receiver;
    await using __ = rig;
    await rig.pass(DAY + HOUR, MINUTE);
    expect(await rig.sample('proxywatch_notifications_total{receiver="hook",result="dropped"}')).toBe(1);
    low.subjects.set('b', 1);
    await rig.run();
    await rig.stop();
    rig.clock.advance(3 * DAY);
    receiver.status = 200;
    await rig.begin();
    expect(notifiedBy(receiver)).toEqual(['firing b']);
  });

  it('has only the newest notifications in its queue, up to the limit', async () => {
    const { receiver, low, rig } = await failing();
    await using _ = receiver;
    await using __ = rig;
    for (let round = 0; round < 1_005; round += 1) {
      low.subjects.clear();
      low.subjects.set(`s${round}`, 1);
      await rig.alerting.afterRun({ account: 'main', collector: 'traffic' } as never, 'ok');
    }
    await rig.alerting.idle();
    expect(await rig.store.alerts.queuedCount('hook')).toBe(1_000);
    expect(await rig.sample('proxywatch_notifications_total{receiver="hook",result="dropped"}')).toBe(6);
  });

  it('does not have its address in logs or metrics', async () => {
    const { receiver, rig } = await failing(0, { secret: 'sesame' });
    await using _ = receiver;
    await using __ = rig;
    await rig.pass(MINUTE, SECOND);
    const shown = JSON.stringify(rig.lines) + (await rig.metricsText());
    expect(shown).not.toMatch(/token-of-its-own|sesame|127\.0\.0\.1/);
    expect(shown).toContain('connection failed: UND_ERR_SOCKET');
  });
});

describe('a signature', () => {
  it('follows Standard Webhooks, with a secret from a file', async () => {
    const folder = createFolder({ secret: `whsec_${Buffer.from('0123456789').toString('base64')}\n` });
    await using receiver = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [hookOf(receiver, { secret_file: join(folder, 'secret') })],
    });
    low.subjects.set('a', 1);
    await rig.run();
    const headers = receiver.received[0]?.headers ?? {};
    const body = receiver.received[0]?.body ?? '';
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', '0123456789').update(signed).digest('base64');
    expect(headers).toMatchObject({
      'webhook-timestamp': String(START / SECOND),
      'webhook-signature': `v1,${signature}`,
      'content-type': 'application/json',
      'user-agent': 'proxywatch/test',
    });
  });
});

describe('the template', () => {
  it('json has the links among the annotations, as they are configured at the time of the delivery', async () => {
    await using receiver = await FakeReceiver.start();
    receiver.status = 503;
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
    low.subjects.set('a', 1);
    await rig.run();
    rig.externalUrl = 'https://proxywatch.example/';
    await rig.reload();
    receiver.status = 200;
    await rig.pass(MINUTE, SECOND);
    expect(receiver.accepted.map((each) => JSON.parse(each.body).alerts[0].annotations)).toEqual([
      {
        summary: 'a stands at 1.',
        description: DESCRIPTION,
        status_page_url: 'https://proxywatch.example/?account=main',
      },
    ]);
  });
});

describe('any sequence of events', () => {
  const SUBJECTS = ['a', 'b', 'c'];
  const event = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('set'), subject: fc.constantFrom(...SUBJECTS) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('clear'), subject: fc.constantFrom(...SUBJECTS) }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('run') }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 1_000, max: 400_000 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('restart') }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('down'), status: fc.constantFrom(0, 429, 500, 503) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('up') }) },
  );

  it('delivers each alert once as firing and once as resolved, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
        await using receiver = await FakeReceiver.start();
        const low = alertNamed('Low', { holdMs: MINUTE, keepFiringMs: MINUTE });
        await using rig = await AlertRig.start([low], { receivers: [hookOf(receiver)] });
        for (const each of events) {
          if (each.kind === 'set' && 'subject' in each) low.subjects.set(each.subject, 1);
          if (each.kind === 'clear' && 'subject' in each) low.subjects.delete(each.subject);
          if (each.kind === 'run') await rig.run();
          if ('ms' in each) await rig.pass(each.ms);
          if (each.kind === 'restart') await rig.restart();
          if ('status' in each) receiver.status = each.status;
          if (each.kind === 'up') receiver.status = 200;
        }
        receiver.status = 200;
        await rig.pass(10 * MINUTE);
        const notified = receiver.accepted.flatMap(newsIn);
        for (const subject of SUBJECTS) {
          const own = notified.filter(({ labels }) => labels.subject === subject);
          const isFiring = rig.firing.includes(`Low ${subject}`);
          // Firing and resolved alternate up to the current state, and each pair has the same start.
          expect(own.map(({ status }) => status)).toEqual(
            own.map((_, index) => (index % 2 === 0 ? 'firing' : 'resolved')),
          );
          expect(own.length % 2 === 1).toBe(isFiring);
          own.forEach(({ startsAt }, index) => {
            if (index % 2 === 1) expect(startsAt).toBe(own[index - 1]?.startsAt);
            else if (index > 0)
              expect(Date.parse(startsAt)).toBeGreaterThan(Date.parse(own[index - 1]?.endsAt ?? ''));
          });
        }
        const ids = receiver.accepted.map(({ headers }) => headers['webhook-id']);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 15 },
    );
  });
});

describe('a store that accepts no writes', () => {
  it('finally has the current state of an alert that ended and started again meanwhile', async () => {
    let hasFinding = false;
    const own = alertNamed('Own', { labels: [], holdMs: MINUTE });
    await using rig = await AlertRig.start([
      { ...own, scope: 'daemon', find: () => (hasFinding ? [{ labels: {}, value: 1 }] : []) },
    ]);
    const { save } = rig.store.alerts;
    rig.store.alerts.save = () => Promise.reject(new StoreError('failed', 'the disk is full'));
    for (const next of [true, false, true]) {
      hasFinding = next;
      await rig.pass(15 * SECOND);
    }
    rig.store.alerts.save = save;
    await rig.pass(15 * SECOND);
    await rig.restart();
    expect(rig.pending).toEqual(['Own']);
  });

  it('is still reported once, and its end as well', async () => {
    await using receiver = await FakeReceiver.start();
    let isFailing = false;
    const summary = 'The store does not take writes.';
    const own = alertNamed('StoreFailing', { holdMs: 2 * MINUTE, labels: [], summary });
    await using rig = await AlertRig.start(
      [{ ...own, scope: 'daemon', find: () => (isFailing ? [{ labels: {}, value: 1 }] : []) }],
      { receivers: [hookOf(receiver)] },
    );
    const { save } = rig.store.alerts;
    rig.store.alerts.save = () => Promise.reject(new StoreError('failed', 'the disk is full'));
    isFailing = true;
    await rig.pass(5 * MINUTE);
    expect(receiver.accepted.map(bodyOf)).toMatchObject([{ firing: 1, alerts: [{ status: 'firing' }] }]);
    expect(rig.firing).toEqual(['StoreFailing']);
    rig.store.alerts.save = save;
    await rig.pass(MINUTE);
    await rig.restart();
    expect(rig.firing).toEqual(['StoreFailing']);
    isFailing = false;
    await rig.pass(MINUTE);
    expect(receiver.accepted.map(bodyOf).map(({ firing, resolved }) => [firing, resolved])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
});
