// Tests that a restart of a shard while an alert about it fires neither doubles nor loses a notification.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { createFolder } from '../config/support.ts';
import { RecordingReceiver } from '../remote-write/recording-receiver.ts';
import { FakeReceiver, UNGROUPED } from '../support/fake-receiver.ts';
import { accountOf, Daemon, type Sections } from './support.ts';

/** Only as many runs as remote write needs. */
const COLLECTORS = {
  traffic: { schedule: '*/30 * * * *', interval: 'hour', graphs: [] },
  ...{ residential_ledger: false, proxy_users: false, reconciliation: false },
};

/** The daemon sends heartbeats only if it evaluated alerts within five minutes. */
const STEP_MINUTES = 3;

class Shard {
  readonly daemon: Daemon;
  readonly #pager: FakeReceiver;

  private constructor(daemon: Daemon, pager: FakeReceiver) {
    this.daemon = daemon;
    this.#pager = pager;
  }

  /** Starts shard 1 of 2 with these settings. A pager gets its alerts. */
  static async start(pager: FakeReceiver, { alerts = {}, ...others }: Sections = {}): Promise<Shard> {
    const { receivers = [], ...changes } = alerts as { receivers?: object[] };
    const daemon = await Daemon.start(
      (simulator) => ({
        ...others,
        alerts: {
          receivers: [
            { name: 'pager', type: 'webhook', url: pager.url, ...UNGROUPED, group_by: ['alertname'] },
            ...receivers,
          ],
          ...changes,
        },
        accounts: [accountOf(simulator, { name: 'main', shard: 1, ...COLLECTORS })],
      }),
      {},
      { PROXYWATCH_SHARD: '1/2' },
    );
    return new Shard(daemon, pager);
  }

  /** Lets time pass, and ticks as the daemon does. */
  async pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += STEP_MINUTES) {
      await this.daemon.advance(STEP_MINUTES * MINUTE);
      await this.#tick();
    }
  }

  async restart(): Promise<void> {
    await this.daemon.stop();
    await this.daemon.begin();
    await this.#tick();
  }

  async #tick(): Promise<void> {
    const { alerting, backups, remoteWriting } = this.daemon.app;
    await backups.idle();
    alerting.tick();
    remoteWriting.tick();
    await alerting.idle();
    await remoteWriting.idle();
  }

  /** The notifications of the pager, as status, alert and shard. */
  get notified(): string[] {
    return this.#pager.accepted.flatMap(({ body }) =>
      JSON.parse(body).alerts.map(
        ({ status, labels }: { status: string; labels: Record<string, string> }) =>
          `${status} ${labels.alertname} ${labels.shard}`,
      ),
    );
  }
}

it('the history still waits for the receiver of remote write', async () => {
  await using pager = await FakeReceiver.start();
  await using engine = await RecordingReceiver.start();
  engine.respond = () => ({ status: 503 });
  const shard = await Shard.start(pager, {
    remote_write: [{ name: 'engine', url: engine.url, start: '1d' }],
  });
  await using _ = shard.daemon;
  await shard.pass(30);
  const firing = 'firing RemoteWriteFailing 1';
  expect(shard.notified).toEqual([firing]);
  for (let time = 0; time < 3; time += 1) {
    await shard.restart();
    await shard.pass(10);
  }
  expect(shard.notified).toEqual([firing]);
  engine.respond = () => ({ status: 204 });
  await shard.restart();
  await shard.pass(10);
  expect(shard.notified).toEqual([firing, 'resolved RemoteWriteFailing 1']);
});

it.each([
  [
    'a webhook',
    (url: string) => ({ name: 'other', type: 'webhook', url, ...UNGROUPED, alerts: ['ReloadFailed'] }),
  ],
  ['an Alertmanager', (url: string) => ({ name: 'other', type: 'alertmanager', urls: [url] })],
  ['a heartbeat', (url: string) => ({ name: 'other', type: 'heartbeat', url: `${url}/{shard}` })],
])('%s still does not accept what it gets', async (_, receiverAt) => {
  await using pager = await FakeReceiver.start();
  await using other = await FakeReceiver.start();
  other.status = 503;
  const shard = await Shard.start(pager, { alerts: { receivers: [receiverAt(other.url)] } });
  await using _daemon = shard.daemon;
  const news = () => shard.notified.filter((each) => each.includes('NotificationsFailing'));
  // Something to tell the receiver that tells alerts.
  shard.daemon.app.metrics.reloaded(false, shard.daemon.clock.now());
  await shard.pass(25);
  const firing = 'firing NotificationsFailing 1';
  expect(news()).toEqual([firing]);
  for (let time = 0; time < 3; time += 1) {
    await shard.restart();
    shard.daemon.app.metrics.reloaded(false, shard.daemon.clock.now());
    await shard.pass(10);
  }
  await shard.pass(30);
  expect(news()).toEqual([firing]);
  other.status = 200;
  await shard.restart();
  shard.daemon.app.metrics.reloaded(false, shard.daemon.clock.now());
  await shard.pass(10);
  expect(news()).toEqual([firing, 'resolved NotificationsFailing 1']);
});

it('another number of the shard ends the alert of the old number, and begins its own', async () => {
  await using pager = await FakeReceiver.start();
  await using other = await FakeReceiver.start();
  other.status = 503;
  const heartbeat = { name: 'other', type: 'heartbeat', url: `${other.url}/{shard}` };
  const shard = await Shard.start(pager, { alerts: { receivers: [heartbeat] } });
  await using _ = shard.daemon;
  await shard.pass(24);
  const firing = 'firing NotificationsFailing 1';
  expect(shard.notified).toEqual([firing]);
  shard.daemon.env = { PROXYWATCH_SHARD: '0/2' };
  await shard.restart();
  expect(shard.notified).toEqual([firing, 'resolved NotificationsFailing 1']);
  await shard.pass(24);
  expect(shard.notified.slice(2)).toEqual(['firing NotificationsFailing 0']);
});

it('there is still no backup', async () => {
  await using pager = await FakeReceiver.start();
  const folder = join(createFolder({}), 'missing');
  const backup = { schedule: '*/10 * * * *', path: join(folder, 'backups') };
  const shard = await Shard.start(pager, { store: { backup } });
  await using _ = shard.daemon;
  await shard.pass(80);
  const firing = 'firing BackupFailing 1';
  expect(shard.notified).toEqual([firing]);
  for (let time = 0; time < 3; time += 1) {
    await shard.restart();
    await shard.pass(15);
  }
  expect(shard.notified).toEqual([firing]);
  mkdirSync(folder);
  await shard.pass(15);
  expect(shard.notified).toEqual([firing, 'resolved BackupFailing 1']);
});

it('the start loads the file that a reload could not load', async () => {
  await using pager = await FakeReceiver.start();
  const shard = await Shard.start(pager);
  await using _ = shard.daemon;
  shard.daemon.app.metrics.reloaded(false, shard.daemon.clock.now());
  await shard.pass(5);
  const firing = 'firing ReloadFailed 1';
  expect(shard.notified).toEqual([firing]);
  await shard.restart();
  await shard.pass(30);
  expect(shard.notified).toEqual([firing, 'resolved ReloadFailed 1']);
});
