// An older store file put back: counters begin a new epoch at 0, and increase() never counts more than there was.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/collectors/index.ts';
import type { Log } from '../../src/lib/log.ts';
import { silentLog } from '../../src/lib/log.ts';
import { HOUR } from '../../src/lib/time.ts';
import { backUp } from '../../src/store/sqlite/file/backup.ts';
import { restore } from '../../src/store/sqlite/file/restore.ts';
import { BORN_AT, buildFixtureHarness, countersOf } from '../support/fixture-account.ts';
import type { Harness } from '../support/harness.ts';
import { Increase } from '../support/prometheus.ts';
import type { Samples } from '../support/samples.ts';
import { ledgerGrowth, trafficGrowth } from '../support/truth.ts';

const WORK = { signal: new AbortController().signal, onProgress: () => {} };
/** So that no revision is missed, and what is counted is the truth. */
const LONGER_THAN_REVISIONS = { reread: '6h', catch_up: '7h' };
const EPOCH = 'proxywatch_store_epoch_timestamp_seconds';

const byHand = {
  keep: async (harness: Harness, file: string) => {
    await harness.stop();
    copyFileSync(harness.storePath, file);
    await harness.start();
  },
  putBack: async (harness: Harness, file: string) => copyFileSync(file, harness.storePath),
};
const byCommand = {
  keep: (harness: Harness, file: string) => backUp(harness.storePath, file, { overwrite: false, ...WORK }),
  putBack: async (harness: Harness, file: string) => {
    await restore(harness.storePath, file, { now: harness.clock.now(), ...WORK });
  },
};

const listener = (): { log: Log; warnings: string[] } => {
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (_, message) => void (message.startsWith('the store') && warnings.push(message)),
    child: () => log,
  };
  return { log, warnings };
};

/** Lives on, scraped after every poll. */
const live = async (harness: Harness, hours: number, prometheus: Increase): Promise<void> => {
  for (let hour = 0; hour < hours; hour += 1) {
    await harness.advance(HOUR);
    prometheus.scrape(countersOf(await harness.metrics()));
  }
};

/** A proxy of the account in another network. */
const moved = (subject: number) => ({ kind: 'proxy', subject, set: { asn_id: 64_999 } }) as const;

describe.each([
  ['cp', byHand],
  ['store backup and restore', byCommand],
])('put back with %s', (_, { keep, putBack }) => {
  it('begins at 0, keeps what is no counter, and never counts twice', { timeout: 60_000 }, async () => {
    const { log, warnings } = listener();
    await using harness = await buildFixtureHarness({ log }, LONGER_THAN_REVISIONS);
    await harness.restart({ inventory: {} });
    harness.simulator.changes.add(moved(10));
    const file = join(harness.folder, 'backup.db');
    const prometheus = new Increase();
    prometheus.scrape(countersOf(await harness.metrics()));
    await live(harness, 22, prometheus);
    await keep(harness, file);
    const faultsKept = faultsIn(await harness.metrics());
    harness.simulator.changes.add(moved(11));
    await live(harness, 4, prometheus);
    const before = await harness.metrics();
    expect(warnings).toEqual([]);
    expect(kindsWithoutGrowth(countersOf(before))).toEqual(['proxywatch_graph_smartpath_money_saved_total']);

    await harness.stop();
    await putBack(harness, file);
    await harness.start();
    const after = await harness.metrics();
    prometheus.scrape(countersOf(after));
    expect(warnings).toEqual([expect.stringContaining('older file')]);
    expect(after.get(EPOCH)).toBe(harness.clock.now() / 1_000);
    expect(Object.entries(countersOf(after)).filter(([, value]) => value !== 0)).toEqual([]);
    const balance = 'proxywatch_residential_balance_bytes{account="main"}';
    expect(after.get(balance)).toBe(before.get(balance));
    // One of the two is over since, which takes another round to be believed.
    expect(faultsKept).toHaveLength(2);
    expect(faultsIn(after)).toEqual(faultsKept);

    const countedAgainFrom = harness.clock.now();
    await live(harness, 26, prometheus);
    // What has moved since the file was current was counted before.
    expect((await harness.samples()).value('proxywatch_inventory_changes_total', { change: 'asn' })).toBe(0);
    expectAtMostTruth(harness, prometheus);
    expectGrowthSince(harness, await harness.samples(), countedAgainFrom);

    await harness.stop();
    await harness.start();
    expect((await harness.metrics()).get(EPOCH)).toBe(countedAgainFrom / 1_000);
    expect(warnings).toHaveLength(1);
  });
});

/** Counter families none of whose series has grown: of those the test would not see that they begin anew. */
const kindsWithoutGrowth = (counters: Readonly<Record<string, number>>): string[] =>
  FAMILIES.filter(({ type }) => type === 'counter')
    .map(({ name }) => name)
    .filter(
      (name) =>
        !Object.entries(counters).some(([series, value]) => series.startsWith(`${name}{`) && value > 0),
    )
    .toSorted();

const faultsIn = (metrics: ReadonlyMap<string, number>): string[] =>
  [...metrics]
    .filter(([series, value]) => series.startsWith('proxywatch_fault{') && value === 1)
    .map(([series]) => series);

const seriesOf = (unit: 'bytes' | 'requests') =>
  [
    [`proxywatch_traffic_${unit}_total{account="main"}`, {}],
    [
      `proxywatch_graph_${unit}_total{account="main",graph="shop",product_type="",proxy_user_id="",service_id="",hostname="shop.example"}`,
      { hostname: 'shop.example' },
    ],
  ] as const;

/** What the provider takes back stays in the counters, so that they may be above by what revisions take. */
const expectAtMostTruth = (harness: Harness, prometheus: Increase): void => {
  for (const unit of ['bytes', 'requests'] as const) {
    for (const [series, filter] of seriesOf(unit)) {
      const truth = trafficGrowth(harness.simulator, filter, Date.parse(BORN_AT), harness.clock.now() + HOUR)[
        unit
      ];
      expect(prometheus.of(series) / truth).toBeLessThanOrEqual(1);
      expect(prometheus.of(series) / truth).toBeGreaterThan(0.9);
    }
  }
  for (const [key, bytes] of Object.entries(ledgerGrowth(harness.simulator, Date.parse(BORN_AT)))) {
    const [reason, direction] = key.split(' ');
    const series = `proxywatch_residential_ledger_${direction}_bytes_total{account="main",reason="${reason}"}`;
    expect(prometheus.of(series)).toBeLessThanOrEqual(bytes);
  }
};

/** From its new baseline on the whole account's counter is the truth again, to the byte. */
const expectGrowthSince = (harness: Harness, samples: Samples, since: number): void => {
  const truth = trafficGrowth(harness.simulator, {}, since, harness.clock.now() + HOUR);
  const value = (name: string): number => samples.value(name) ?? Number.NaN;
  const net = value('proxywatch_traffic_bytes_total') - value('proxywatch_traffic_withheld_bytes');
  expect(net).toBe(truth.bytes);
};
