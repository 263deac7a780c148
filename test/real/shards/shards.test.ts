// Tests that shards with one configuration monitor all accounts together, under a real Prometheus.

import { expect, test } from 'vitest';
import { ownerOf } from '../../../src/daemon/shards/shard.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { waitUntil } from '../../cli/program.ts';
import { expectedTrafficGrowth } from '../../support/expected-counters.ts';
import { FakeReceiver } from '../../support/fake-receiver.ts';
import { type Prometheus, startPrometheus } from '../prometheus-server.ts';
import { describeWith } from '../with-programs.ts';
import { DEAD_RECEIVER, Fleet } from './fleet.ts';

const NAMES = Array.from({ length: 8 }, (_, index) => `account-${index}`);
const MOVED = NAMES.filter((name) => ownerOf(name, 4) !== ownerOf(name, 3));
const STAYING = NAMES.filter((name) => !MOVED.includes(name));

/** The driven daemons have longer holds than others. */
const OUTAGE_MS = 5 * HOUR;

const NET_BYTES = 'sum by (account) (proxywatch_traffic_bytes_total - proxywatch_traffic_withheld_bytes)';

/** Counters of the provider's data, which go on after a restart. */
const COUNTERS = [
  'proxywatch_traffic_bytes_total',
  'proxywatch_residential_ledger_used_bytes_total',
  'proxywatch_proxy_user_usage_bytes_total',
];

/** Waits until Prometheus has scraped all of them after this call. */
const scraped = async (prometheus: Prometheus, shards: number): Promise<void> => {
  const since = Date.now() / SECOND;
  const query = `count(timestamp(proxywatch_shard_info) > ${since})`;
  await waitUntil(async () => (await prometheus.query(query))[0]?.value === shards);
};

const byAccount = async (prometheus: Prometheus, query: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await prometheus.query(query)).map(({ labels: { account = '' }, value }) => [account, value]),
  );

/** The bytes of each account since a time (ms), as the simulators made them. */
const truthOf = (
  { simulators, now }: Fleet,
  names: readonly string[],
  since: number,
): Record<string, number> => {
  const end = Math.floor(now / MINUTE) * MINUTE + MINUTE;
  return Object.fromEntries(
    names.map((name) => {
      const simulator = simulators.get(name);
      if (!simulator) throw new Error(`no account ${name}`);
      return [name, expectedTrafficGrowth(simulator, {}, since, end).bytes];
    }),
  );
};

const notificationsOf = ({ accepted }: FakeReceiver): string[] =>
  accepted.flatMap(({ body }) =>
    (JSON.parse(body).alerts as { status: string; labels: Record<string, string> }[]).map(
      ({ status, labels }) => `${status} ${JSON.stringify(Object.entries(labels).toSorted())}`,
    ),
  );

describeWith(['prometheus'], 'shards', () => {
  test('count each byte once, lose nothing when one is down, and move only what a fourth takes', {
    // It takes 48 s on a quiet machine.
    timeout: 15 * MINUTE,
  }, async () => {
    await using receiver = await FakeReceiver.start();
    await using fleet = await Fleet.prepare(NAMES, 4, receiver.url);
    await using prometheus = await startPrometheus({ targets: fleet.addresses });
    for (const shards of [3, 4])
      expect(new Set(NAMES.map((name) => ownerOf(name, shards))).size).toBe(shards);
    const begun = fleet.now;
    await fleet.start(3);
    await fleet.advance(HOUR);
    await scraped(prometheus, 3);
    expect(await byAccount(prometheus, NET_BYTES)).toEqual(truthOf(fleet, NAMES, begun));
    const owners = await prometheus.query('count by (account, instance) (proxywatch_collector_success)');
    expect(owners.map(({ labels: { account = '', instance } }) => [account, instance]).toSorted()).toEqual(
      NAMES.map((name) => [name, fleet.addresses[ownerOf(name, 3)]]),
    );

    // An alert of an account of the shard that is killed: it fires once, and ends once.
    const killed = 1;
    const [rejected = ''] = STAYING.filter((name) => ownerOf(name, 3) === killed);
    fleet.simulators.get(rejected)?.faults.add({ kind: 'status', status: 401 });
    await fleet.advance(OUTAGE_MS);
    const firing = () => notificationsOf(receiver).filter((each) => each.includes('ProviderKeysRejected'));
    expect(firing()).toEqual([expect.stringMatching(`^firing .*"${rejected}"`)]);
    // No shard can tell the other receiver. Each tells that once, also the one that is killed meanwhile.
    const undelivered = () =>
      notificationsOf(receiver)
        .filter((each) => each.includes(`"receiver","${DEAD_RECEIVER.name}"`))
        .toSorted();
    const undeliveredOnce = [0, 1, 2].map((shard) =>
      expect.stringMatching(`^firing .*"NotificationsFailing".*"shard","${shard}"`),
    );
    expect(undelivered()).toEqual(undeliveredOnce);

    await fleet.kill(killed);
    await fleet.advance(10 * MINUTE);
    fleet.simulators.get(rejected)?.faults.clear();
    await fleet.startShard(killed);
    await fleet.advance(3 * HOUR);
    await scraped(prometheus, 3);
    expect(await byAccount(prometheus, NET_BYTES)).toEqual(truthOf(fleet, NAMES, begun));
    expect(firing()).toEqual([
      expect.stringMatching(`^firing .*"${rejected}"`),
      expect.stringMatching(`^resolved .*"${rejected}"`),
    ]);
    expect(undelivered()).toEqual(undeliveredOnce);
    const notified = notificationsOf(receiver);
    expect(notified.length).toBe(new Set(notified).size);

    const before = await byAccount(prometheus, NET_BYTES);
    await fleet.stop();
    for (const name of MOVED) await fleet.move(name, ownerOf(name, 3), ownerOf(name, 4));
    await fleet.start(4);
    await fleet.advance(HOUR);
    await scraped(prometheus, 4);
    const after = await byAccount(prometheus, NET_BYTES);
    expect(MOVED.length).toBeGreaterThan(0);
    for (const name of MOVED) expect(ownerOf(name, 4)).toBe(3);
    expect(after).toEqual(truthOf(fleet, NAMES, begun));
    for (const name of NAMES) expect(after[name]).toBeGreaterThanOrEqual(before[name] ?? Number.NaN);
    for (const name of COUNTERS) {
      expect(await prometheus.query(`count(${name}) > 0`)).toHaveLength(1);
      expect(await prometheus.query(`resets(${name}[1h]) > 0`)).toEqual([]);
    }
    expect(
      await prometheus.query('count by (account, collector) (proxywatch_collector_interval_seconds) > 1'),
    ).toEqual([]);
    expect(undelivered().filter((each) => !each.includes('"shard","3"'))).toEqual(undeliveredOnce);
    expect(notificationsOf(receiver).length).toBe(new Set(notificationsOf(receiver)).size);
  });
});
