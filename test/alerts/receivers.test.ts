// Tests the receivers for Alertmanager and heartbeats over real HTTP.

import { describe, expect, it } from 'vitest';
import { receiverOptions } from '../../src/alerts/receivers/options.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { FakeReceiver, type Received } from '../support/fake-receiver.ts';
import { AlertRig, alertNamed, DESCRIPTION, START } from './alert-rig.ts';

interface Posted {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly startsAt: string;
  readonly endsAt: string;
}

const alertsIn = ({ body }: Received): Posted[] => JSON.parse(body);

describe('an Alertmanager', () => {
  it('gets firing alerts every minute, each with a new end, and ended ones for a while', async () => {
    await using server = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [{ type: 'alertmanager', urls: [`${server.url}/prefix/`] }],
    });
    low.subjects.set('a', 1);
    await rig.run();
    await rig.pass(3 * MINUTE);
    expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(4).fill('POST /prefix/api/v2/alerts'),
    );
    expect(server.received[0] && alertsIn(server.received[0])).toEqual([
      {
        labels: { alertname: 'Low', severity: 'warning', account: 'main', subject: 'a' },
        annotations: { summary: 'a stands at 1.', description: DESCRIPTION, value: '1' },
        startsAt: new Date(START).toISOString(),
        endsAt: new Date(START + 4 * MINUTE).toISOString(),
      },
    ]);
    low.subjects.clear();
    await rig.run();
    const endedAt = new Date(rig.clock.now()).toISOString();
    const before = server.received.length;
    await rig.pass(30 * MINUTE);
    const after = server.received.slice(before - 1);
    expect(after.length).toBeGreaterThan(14);
    expect(after.length).toBeLessThan(18);
    expect(after.flatMap(alertsIn).every(({ endsAt }) => endsAt === endedAt)).toBe(true);
  });

  it.each(['/prefix/api/v2/alerts', '/prefix/api/v2/'])('may be configured with the path %s', (path) => {
    const urls = [`http://192.0.2.1:9093${path}`];
    const [options] = receiverOptions.parse([{ type: 'alertmanager', urls }]);
    expect(options).toMatchObject({ urls: ['http://192.0.2.1:9093/prefix'] });
  });

  it('gets the alerts again right after a restart, before anything is polled', async () => {
    await using server = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [{ type: 'alertmanager', urls: [server.url] }],
    });
    low.subjects.set('a', 1);
    await rig.run();
    await rig.stop();
    rig.clock.advance(10 * MINUTE);
    await rig.begin();
    expect(server.received.map(alertsIn)).toMatchObject([
      [{ startsAt: new Date(START).toISOString() }],
      [{ startsAt: new Date(START).toISOString(), endsAt: new Date(START + 14 * MINUTE).toISOString() }],
    ]);
  });

  it('that is down does not delay others, and gets the alerts when it is back', async () => {
    await using down = await FakeReceiver.start();
    await using up = await FakeReceiver.start();
    down.status = 0;
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [{ type: 'alertmanager', name: 'pair', urls: [down.url, up.url], bearer_token: 'sesame' }],
    });
    low.subjects.set('a', 1);
    await rig.run();
    expect(up.received).toHaveLength(1);
    expect(up.received[0]?.headers.authorization).toBe('Bearer sesame');
    expect(await rig.sample('proxywatch_notifications_waiting{receiver="pair"}')).toBe(1);
    expect(await rig.sample('proxywatch_notifications_total{receiver="pair",result="failed"}')).toBe(1);
    down.status = 200;
    await rig.pass(30 * SECOND);
    expect(down.accepted).toHaveLength(1);
    expect(await rig.sample('proxywatch_notifications_waiting{receiver="pair"}')).toBe(0);
    expect(rig.lines.filter(({ fields }) => fields.receiver === 'pair')).toHaveLength(1);
  });

  it('gets the configured user name and password', async () => {
    await using server = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [
        { type: 'alertmanager', urls: [server.url], basic_auth: { username: 'pw', password: 'sesame' } },
      ],
    });
    low.subjects.set('a', 1);
    await rig.run();
    expect(server.received[0]?.headers.authorization).toBe(`Basic ${btoa('pw:sesame')}`);
  });

  it('gets many alerts in requests of limited size', async () => {
    await using server = await FakeReceiver.start();
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [{ type: 'alertmanager', urls: [server.url] }],
    });
    for (let index = 0; index < 600; index += 1) low.subjects.set(`s${index}`, index);
    await rig.run();
    expect(server.received.map((each) => alertsIn(each).length)).toEqual([250, 250, 100]);
  });
});

describe('an Alertmanager that fails', () => {
  it('does not count as failing for the time in which there was nothing to send', async () => {
    await using server = await FakeReceiver.start();
    server.status = 503;
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [{ type: 'alertmanager', urls: [server.url] }],
    });
    low.subjects.set('a', 1);
    await rig.run();
    low.subjects.clear();
    await rig.run();
    await rig.pass(HOUR);
    const later = rig.clock.now();
    low.subjects.set('b', 1);
    await rig.run();
    const series = 'proxywatch_notifications_waiting_since_timestamp_seconds{receiver="alertmanager"}';
    expect(await rig.sample(series)).toBe(later / SECOND);
    expect(
      rig.lines.map(({ message }) => message).filter((text) => /rejects notifications/.test(text)),
    ).toHaveLength(2);
  });

  it('for some alerts still gets the others', async () => {
    await using server = await FakeReceiver.start();
    server.statusOf = (body) => (body.includes('"s0"') ? 400 : 200);
    const low = alertNamed('Low');
    await using rig = await AlertRig.start([low], {
      receivers: [{ type: 'alertmanager', urls: [server.url] }],
    });
    for (let index = 0; index < 600; index += 1) low.subjects.set(`s${index}`, index);
    await rig.run();
    await rig.pass(MINUTE);
    const delivered = new Set(server.accepted.flatMap(alertsIn).map(({ labels }) => labels.subject));
    expect(delivered.size).toBe(350);
    expect(await rig.sample('proxywatch_notifications_waiting{receiver="alertmanager"}')).toBe(250);
    expect(rig.lines.filter(({ fields }) => fields.receiver === 'alertmanager')).toHaveLength(1);
  });
});

describe('a heartbeat', () => {
  it('is sent at its interval', async () => {
    await using server = await FakeReceiver.start();
    await using rig = await AlertRig.start([], {
      receivers: [{ type: 'heartbeat', url: `${server.url}/ping/secret`, every: '30s' }],
    });
    await rig.pass(5 * MINUTE);
    expect(server.received).toHaveLength(10);
    expect(server.received[0]).toMatchObject({ method: 'GET', path: '/ping/secret' });
    expect(await rig.sample('proxywatch_notifications_total{receiver="heartbeat",result="sent"}')).toBe(10);
  });

  it.each(['OK (not found)', 'OK (rate limited)\n', '{"ok":false,"msg":"Monitor not found or not active."}'])(
    'fails if the service answers 200 with %j',
    async (answer) => {
      await using server = await FakeReceiver.start();
      server.answer = answer;
      const receivers = [{ type: 'heartbeat', url: `${server.url}/ping/secret` }];
      await using rig = await AlertRig.start([], { receivers });
      await rig.pass(MINUTE);
      const failed = 'proxywatch_notifications_total{receiver="heartbeat",result="failed"}';
      expect(await rig.sample(failed)).toBeGreaterThan(0);
      const reason = `answered 200 with a body that does not say success: ${answer.trim()}`;
      expect(rig.lines).toContainEqual(
        expect.objectContaining({ fields: expect.objectContaining({ reason }) }),
      );
      server.answer = 'OK';
      await rig.pass(2 * MINUTE);
      expect(await rig.sample(failed.replace('failed', 'sent'))).toBeGreaterThan(0);
    },
  );

  it('stops when alerts cannot be evaluated or the store accepts no writes', async () => {
    await using server = await FakeReceiver.start();
    let isFailing = true;
    const own = alertNamed('Own', { labels: [] });
    await using rig = await AlertRig.start(
      [
        {
          ...own,
          scope: 'daemon',
          find: () => {
            if (isFailing) throw new Error('a fault of the program');
            return [];
          },
        },
      ],
      { receivers: [{ type: 'heartbeat', url: server.url, method: 'POST' }] },
    );
    await rig.pass(MINUTE);
    const before = server.received.length;
    await rig.pass(5 * MINUTE);
    expect(server.received.length).toBe(before);
    isFailing = false;
    await rig.pass(2 * MINUTE);
    expect(server.received.length).toBeGreaterThan(before);
    expect(server.received.at(-1)?.method).toBe('POST');
    const healthy = server.received.length;
    rig.store.checkWritable = () => Promise.reject(new Error('the disk is full'));
    await rig.pass(5 * MINUTE);
    expect(server.received.length).toBe(healthy);
  });
});
