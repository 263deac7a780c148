// Tests an older store file that was put back: counters begin a new epoch at 0, and increase() never exceeds the truth.

import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/collectors/index.ts';
import type { Log } from '../../src/lib/log.ts';
import { silentLog } from '../../src/lib/log.ts';
import { HOUR } from '../../src/lib/time.ts';
import { backUp } from '../../src/store/sqlite/file/backup.ts';
import { restore } from '../../src/store/sqlite/file/restore.ts';
import { expectedLedgerGrowth, expectedTrafficGrowth } from '../support/expected-counters.ts';
import { buildFixtureHarness, countersOf, FIXTURE_START } from '../support/fixture-account.ts';
import type { Harness } from '../support/harness.ts';
import { Increase } from '../support/prometheus.ts';
import type { Samples } from '../support/samples.ts';

const FILE_OPTIONS = { signal: new AbortController().signal, onProgress: () => {} };
/** Longer than revisions take, so that none is missed and the counters equal the truth. */
const LONGER_THAN_REVISIONS = { reread: '6h', catch_up: '7h' };
const EPOCH = 'proxywatch_store_epoch_timestamp_seconds';

const byCopying = {
  saveCopy: async (harness: Harness, file: string) => {
    await harness.stop();
    copyFileSync(harness.storePath, file);
    await harness.start();
  },
  restoreCopy: async (harness: Harness, file: string) => copyFileSync(file, harness.storePath),
};
const byCommand = {
  saveCopy: (harness: Harness, file: string) =>
    backUp(harness.storePath, file, { overwrite: false, ...FILE_OPTIONS }),
  restoreCopy: async (harness: Harness, file: string) => {
    await restore(harness.storePath, file, { now: harness.clock.now(), ...FILE_OPTIONS });
  },
};
/** The whole folder of the store is lost, with the number that reveals an older file. */
const afterLostVolume = {
  saveCopy: byCommand.saveCopy,
  restoreCopy: async (harness: Harness, file: string) => {
    for (const name of readdirSync(harness.folder))
      if (name.startsWith('proxywatch.db')) rmSync(join(harness.folder, name));
    await byCommand.restoreCopy(harness, file);
  },
};

const storeWarningLog = (): { log: Log; warnings: string[] } => {
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (_, message) => void (message.startsWith('the store') && warnings.push(message)),
    child: () => log,
  };
  return { log, warnings };
};

/** Advances hour by hour and scrapes after each poll. */
const advanceHours = async (harness: Harness, hours: number, prometheus: Increase): Promise<void> => {
  for (let hour = 0; hour < hours; hour += 1) {
    await harness.advance(HOUR);
    prometheus.scrape(countersOf(await harness.metrics()));
  }
};

/** Moves a proxy of the account to another network. */
const proxyMoved = (subject: number) => ({ kind: 'proxy', subject, set: { asn_id: 64_999 } }) as const;

describe.each([
  ['cp', byCopying],
  ['store backup and restore', byCommand],
  ['store restore after the volume was lost', afterLostVolume],
])('put back with %s', (_, { saveCopy: keep, restoreCopy: putBack }) => {
  it('begins counters at 0, keeps everything else, and counts nothing twice', {
    timeout: 60_000,
  }, async () => {
    const { log, warnings } = storeWarningLog();
    await using harness = await buildFixtureHarness({ log }, LONGER_THAN_REVISIONS);
    await harness.restart({ inventory: {} });
    harness.simulator.changes.add(proxyMoved(10));
    const file = join(harness.folder, 'backup.db');
    const prometheus = new Increase();
    prometheus.scrape(countersOf(await harness.metrics()));
    await advanceHours(harness, 22, prometheus);
    await keep(harness, file);
    const faultsAtCopy = faultsIn(await harness.metrics());
    harness.simulator.changes.add(proxyMoved(11));
    await advanceHours(harness, 4, prometheus);
    const before = await harness.metrics();
    expect(warnings).toEqual([]);
    expect(countersWithoutGrowth(countersOf(before))).toEqual([
      'proxywatch_graph_smartpath_money_saved_total',
      // The account of the fixtures has no probes.
      'proxywatch_probe_bytes_total',
      'proxywatch_probe_refusals_total',
    ]);

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
    // One of the two faults has ended since, but another round must confirm that.
    expect(faultsAtCopy).toHaveLength(2);
    expect(faultsIn(after)).toEqual(faultsAtCopy);

    const restartedAt = harness.clock.now();
    await advanceHours(harness, 26, prometheus);
    // The moves since the file was current were counted before the restore.
    expect((await harness.samples()).value('proxywatch_inventory_changes_total', { change: 'asn' })).toBe(0);
    expectAtMostTruth(harness, prometheus);
    expectGrowthSince(harness, await harness.samples(), restartedAt);

    await harness.stop();
    await harness.start();
    expect((await harness.metrics()).get(EPOCH)).toBe(restartedAt / 1_000);
    expect(warnings).toHaveLength(1);
  });
});

/** Counter families without a series above 0: for these the test could not detect a reset. */
const countersWithoutGrowth = (counters: Readonly<Record<string, number>>): string[] =>
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

/** Expects increases that are close to the truth and do not exceed it, although counters keep bytes that the provider takes back. */
const expectAtMostTruth = (harness: Harness, prometheus: Increase): void => {
  for (const unit of ['bytes', 'requests'] as const) {
    for (const [series, filter] of seriesOf(unit)) {
      const truth = expectedTrafficGrowth(
        harness.simulator,
        filter,
        Date.parse(FIXTURE_START),
        harness.clock.now() + HOUR,
      )[unit];
      expect(prometheus.of(series) / truth).toBeLessThanOrEqual(1);
      expect(prometheus.of(series) / truth).toBeGreaterThan(0.9);
    }
  }
  for (const [key, bytes] of Object.entries(
    expectedLedgerGrowth(harness.simulator, Date.parse(FIXTURE_START)),
  )) {
    const [reason, direction] = key.split(' ');
    const series = `proxywatch_residential_ledger_${direction}_bytes_total{account="main",reason="${reason}"}`;
    expect(prometheus.of(series)).toBeLessThanOrEqual(bytes);
  }
};

/** From its new baseline on, the whole account's counter equals the truth to the byte. */
const expectGrowthSince = (harness: Harness, samples: Samples, since: number): void => {
  const truth = expectedTrafficGrowth(harness.simulator, {}, since, harness.clock.now() + HOUR);
  const value = (name: string): number => samples.value(name) ?? Number.NaN;
  const net = value('proxywatch_traffic_bytes_total') - value('proxywatch_traffic_withheld_bytes');
  expect(net).toBe(truth.bytes);
};
