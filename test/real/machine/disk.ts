// Tests a full disk, and a disk that becomes read-only, under a daemon with all collectors.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../../src/lib/time.ts';
import { backUp } from '../../../src/store/sqlite/file/backup.ts';
import { moveOut } from '../../../src/store/sqlite/move/move-out.ts';
import { getText, waitUntil } from '../../cli/program.ts';
import { openStore } from '../../store/support.ts';
import { canMount, fill, mountImage, mountMemory } from './disks.ts';
import { type LogEntry, MachineDaemon } from './machine-daemon.ts';

/** For how long the disk stays full. With PROXYWATCH_FULL_DISK_MINUTES, the test also waits for the alert's end. */
const FULL_MINUTES = Number(process.env.PROXYWATCH_FULL_DISK_MINUTES ?? 0);
const FULL_MS = FULL_MINUTES * MINUTE || 10 * SECOND;

const settings = { alerts: { evaluate: true, StoreFailing: { for: '1s' } } };
const STORE_FAILS = 'the store fails. proxywatch serves the last stored data, and tries again at each run';

/** Problems except alerts about the simulated account, and warnings about the settings. */
const problemsOf = ({ problems }: MachineDaemon): LogEntry[] =>
  problems.filter(
    ({ msg, alert, setting }) =>
      setting === undefined && (!msg.startsWith('alert ') || alert === 'StoreFailing'),
  );

const expectFailing = async (daemon: MachineDaemon): Promise<void> => {
  expect(await daemon.untilReadiness(503)).toMatch(`the store ${daemon.storePath} rejects writes: the last `);
  await waitUntil(() => daemon.fired.includes('StoreFailing'));
  for (const path of ['/-/healthy', '/metrics', '/', '/api/v1/status']) await getText(daemon.url + path);
  expect(await getText(`${daemon.url}/api/v1/alerts`)).toContain('"StoreFailing"');
};

describe.runIf(canMount)('a disk', { concurrent: true }, () => {
  const timeout = 300_000 + FULL_MS + (FULL_MINUTES > 0 ? 20 * MINUTE : 0);

  test('that is full makes the daemon not ready until a write succeeds', { timeout }, async () => {
    using disk = mountMemory();
    await using daemon = await MachineDaemon.start({ storeFolder: disk.path, settings });
    const filler = fill(disk);
    daemon.advance(2 * MINUTE);
    await expectFailing(daemon);
    await delay(FULL_MS);
    // A write may succeed in the moment before freed space is filled again.
    await daemon.untilReadiness(503);

    filler[Symbol.dispose]();
    await daemon.untilReadiness(200);
    await daemon.waitForPolls();
    await daemon.expectTruth();
    expect(problemsOf(daemon).map(({ msg }) => msg)).toEqual([
      STORE_FAILS,
      expect.stringMatching(/^alert firing: proxywatch cannot write to its store/),
    ]);
    if (FULL_MINUTES === 0) return;
    await waitUntil(() => daemon.log.some(({ msg }) => msg.startsWith('alert resolved: proxywatch cannot')));
    expect(daemon.log.filter(({ msg }) => msg.startsWith('the store works again'))).toHaveLength(1);
    expect(daemon.program.isRunning).toBe(true);
  });

  test('that is full gets no backup and no account, and is named', { timeout }, async () => {
    using own = mountMemory();
    using disk = mountMemory();
    const path = join(own.path, 'store.db');
    using _ = fill(disk);
    const options = { overwrite: false, signal: new AbortController().signal };
    {
      using store = openStore(path);
      await store.accounts.claimCustomer('main', 4711);
      const backup = backUp(path, join(disk.path, 'backup.db'), { ...options, onProgress: () => {} });
      await expect(backup).rejects.toThrow(`${join(disk.path, 'backup.db')}.partial: the disk is full`);
    }
    const move = moveOut(path, join(disk.path, 'main.db'), {
      ...{ ...options, account: 'main', firstStepHoldMs: 0, now: 0 },
    });
    await expect(move).rejects.toThrow(/main\.db: .*full.*\. The account is not moved/);
    using store = openStore(path);
    expect(await store.accounts.movedOut()).toEqual([]);
  });

  test('that becomes read-only is reported, and no data is lost', { timeout }, async () => {
    using disk = mountImage();
    await using daemon = await MachineDaemon.start({ storeFolder: disk.path, settings });
    disk.abort();
    daemon.advance(2 * MINUTE);
    await expectFailing(daemon);
    expect(problemsOf(daemon).map(({ msg }) => msg)).toEqual([
      STORE_FAILS,
      expect.stringMatching(/^alert firing: proxywatch cannot write to its store/),
    ]);
    await daemon.end('SIGTERM');
    disk.repair();
    daemon.restart();
    await daemon.waitForPolls();
    await daemon.expectTruth();
    expect((await daemon.readiness())[0]).toBe(200);
  });
});
