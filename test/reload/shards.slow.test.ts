// Tests a daemon that is one of several shards: which accounts it runs, also after reloads, and what it shows of itself.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createReadiness } from '../../src/daemon/http-view.ts';
import { ownerOf } from '../../src/daemon/shards/shard.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { FakeReceiver, UNGROUPED } from '../support/fake-receiver.ts';
import { accountOf, Daemon } from './support.ts';

const NAMES = Array.from({ length: 8 }, (_, index) => `account-${index}`);
const nameOf = (shard: number): string => {
  const name = NAMES.find((each) => ownerOf(each, 2) === shard);
  if (name === undefined) throw new Error(`no name belongs to shard ${shard}`);
  return name;
};
const [OWN, OTHER] = [nameOf(0), nameOf(1)];

const start = (configure: Parameters<typeof Daemon.start>[0], shard = '0/2') =>
  Daemon.start(configure, {}, { PROXYWATCH_SHARD: shard });

it('a reload keeps the shard: accounts of others do not run, and pinned accounts come and leave', async () => {
  await using daemon = await start((simulator) => ({ accounts: [accountOf(simulator, { name: OWN })] }));
  const running = () => daemon.app.accounts.map(({ name }) => name);
  const reload = (...accounts: object[]) =>
    daemon.reload({ accounts: accounts.map((more) => accountOf(daemon.simulator, { ...more })) });
  expect(running()).toEqual([OWN]);
  expect(await reload({ name: OTHER }, { name: OWN })).toEqual({
    result: 'reloaded',
    ...{ added: [], changed: [], removed: [], needsRestart: [] },
  });
  expect(running()).toEqual([OWN]);
  expect(daemon.app.settings.sharding?.owners).toEqual([
    { account: OTHER, shard: 1, isPinned: false },
    { account: OWN, shard: 0, isPinned: false },
  ]);
  expect(await reload({ name: OTHER, shard: 0 }, { name: OWN })).toMatchObject({
    added: [OTHER],
    removed: [],
  });
  expect(running()).toEqual([OTHER, OWN]);
  expect(await reload({ name: OTHER }, { name: OWN, shard: 1 })).toMatchObject({ removed: [OTHER, OWN] });
  expect(running()).toEqual([]);
  await daemon.advance(10 * MINUTE);
  expect(daemon.lines.filter(({ level }) => level === 'error')).toEqual([]);
  // Only reloads that added or removed accounts say how many the shard has.
  const said = daemon.lines.filter(({ fields }) => 'allAccounts' in fields);
  expect(said.map(({ message, fields }) => [message.slice(0, 22), fields])).toEqual([
    ['this shard runs its sh', { shard: '0/2', accounts: 2, allAccounts: 2 }],
    ['this shard has no acco', { shard: '0/2', accounts: 0, allAccounts: 2 }],
  ]);
});

it('a shard without accounts polls nothing, has no alerts, is ready, and shows its number', async () => {
  await using daemon = await start((simulator) => ({
    alerts: { evaluate: true },
    accounts: [accountOf(simulator, { name: OTHER })],
  }));
  expect(daemon.app.accounts).toEqual([]);
  for (let hour = 0; hour < 48; hour += 1) {
    await daemon.advance(HOUR);
    daemon.app.alerting.tick();
    await daemon.app.alerting.idle();
  }
  expect(daemon.app.alerting.evaluatedAt).toBe(daemon.clock.now());
  expect([...daemon.app.alerting.active]).toEqual([]);
  expect(daemon.simulator.requests.count()).toBe(0);
  expect(await createReadiness(daemon.app)()).toEqual([]);
  const samples = await daemon.metrics();
  expect(samples.get('proxywatch_shard_info{shard="0",shards="2"}')).toBe(1);
  expect([...samples.keys()].filter((series) => series.includes('account='))).toEqual([]);
});

it('an alert about the daemon has the number of the shard, from its beginning to its end', async () => {
  await using receiver = await FakeReceiver.start();
  await using daemon = await start((simulator) => ({
    alerts: {
      receivers: [{ type: 'webhook', url: receiver.url, ...UNGROUPED }],
      ReloadFailed: { for: '1m' },
    },
    accounts: [accountOf(simulator, { name: OTHER })],
  }));
  const config = readFileSync(daemon.file, 'utf8');
  const evaluate = async () => {
    for (let minute = 0; minute < 3; minute += 1) {
      await daemon.advance(MINUTE);
      daemon.app.alerting.tick();
      await daemon.app.alerting.idle();
    }
  };
  const notified = () =>
    receiver.accepted.flatMap(({ body }) =>
      JSON.parse(body).alerts.map(({ status, labels }: { status: string; labels: object }) => [
        status,
        labels,
      ]),
    );
  expect(await daemon.reload('accounts: 5')).toMatchObject({ result: 'mistakes' });
  await evaluate();
  const labels = expect.objectContaining({ alertname: 'ReloadFailed', shard: '0' });
  expect(notified()).toEqual([['firing', labels]]);
  await daemon.reload(config);
  await evaluate();
  expect(notified()).toEqual([
    ['firing', labels],
    ['resolved', labels],
  ]);
});

it.each([{}, { group_by: ['account'] }])(
  'the incidents of two shards are two in PagerDuty: %j',
  async (grouping) => {
    await using receiver = await FakeReceiver.start();
    receiver.status = 202;
    const pagerduty = {
      name: 'pd',
      type: 'webhook',
      template: 'pagerduty',
      url: receiver.url,
      routing_key: 'key',
    };
    const configure: Parameters<typeof Daemon.start>[0] = (simulator) => ({
      alerts: {
        receivers: [{ ...pagerduty, ...UNGROUPED, group_by: ['account', 'alertname'], ...grouping }],
      },
      accounts: [accountOf(simulator, { name: OTHER })],
    });
    await using first = await start(configure, '0/2');
    await using second = await start(configure, '1/2');
    const evaluate = async (daemon: Daemon) => {
      await daemon.advance(MINUTE);
      daemon.app.alerting.tick();
      await daemon.app.alerting.idle();
    };
    const events = () =>
      receiver.accepted.map(({ body }) => {
        const { event_action, dedup_key } = JSON.parse(body);
        return [event_action, dedup_key] as const;
      });
    for (const daemon of [first, second]) {
      daemon.app.metrics.reloaded(false, daemon.clock.now());
      await evaluate(daemon);
    }
    const [[, ofFirst] = [], [, ofSecond] = []] = events();
    expect(ofFirst).not.toBe(ofSecond);
    first.app.metrics.reloaded(true, first.clock.now());
    await evaluate(first);
    expect(events()).toEqual([
      ['trigger', ofFirst],
      ['trigger', ofSecond],
      ['resolve', ofFirst],
    ]);
  },
);
