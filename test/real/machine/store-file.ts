// Tests what happens to the store's file while a daemon runs: it is removed, replaced, overwritten or truncated.

import { closeSync, copyFileSync, openSync, renameSync, statSync, truncateSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { Program, runToEnd, waitUntil } from '../../cli/program.ts';
import { MachineDaemon } from './machine-daemon.ts';

const PAGE_BYTES = 1_024;

const storeErrors = ({ problems }: MachineDaemon): string[] =>
  problems.filter(({ msg }) => msg.startsWith('the store fails')).map(({ message }) => String(message));

/** Waits until the daemon is not ready, and returns the one line of its log about the store. */
const failureOf = async (daemon: MachineDaemon): Promise<string> => {
  await daemon.untilReadiness(503);
  await waitUntil(() => storeErrors(daemon).length > 0);
  expect(storeErrors(daemon)).toHaveLength(1);
  const errors = daemon.problems.filter(({ level }) => level === 'error');
  expect(errors.map(({ msg }) => msg)).toEqual([expect.stringMatching(/^the store fails/)]);
  return storeErrors(daemon)[0] ?? '';
};

const overwriteWithZeros = (path: string): void => {
  const half = Math.floor(statSync(path).size / 2 / PAGE_BYTES) * PAGE_BYTES;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(half), 0, half, half);
  closeSync(file);
};

describe.concurrent('while the daemon runs, its store', { timeout: 300_000 }, () => {
  test('that is moved away is named, and used again when it is back', async () => {
    await using daemon = await MachineDaemon.start();
    const { storePath } = daemon;
    renameSync(storePath, `${storePath}.moved`);
    daemon.advance(MINUTE);
    expect(await failureOf(daemon)).toMatch(
      /the store was removed while proxywatch was running\. .* put the old file back/,
    );
    renameSync(`${storePath}.moved`, storePath);
    await daemon.untilReadiness(200);
    await daemon.waitForPolls();
    await daemon.expectTruth();
  });

  test('that is replaced by another store is named, and the other store is used after a restart', async () => {
    await using daemon = await MachineDaemon.start();
    const { storePath } = daemon;
    await daemon.end('SIGTERM');
    copyFileSync(storePath, `${storePath}.copy`);
    daemon.restart();
    await daemon.waitForPolls();
    renameSync(`${storePath}.copy`, storePath);
    expect(await failureOf(daemon)).toMatch(/another file has replaced the store .* restart proxywatch/);
    await daemon.end('SIGTERM');
    daemon.restart();
    daemon.url = await daemon.program.url();
    // The copy is an older file, so a new epoch begins.
    expect(daemon.log.filter(({ msg }) => msg.startsWith('the store is an older file'))).toHaveLength(1);
    // Nothing of the WAL of the replaced file went into the copy.
    const check = await runToEnd('store', 'check', '--config', daemon.configFile);
    expect(check).toMatchObject({ code: 0, stdout: expect.stringContaining('no damage found') });
  });

  test.each([
    ['overwritten with zeros', overwriteWithZeros],
    ['truncated', (path: string) => truncateSync(path, PAGE_BYTES * 8)],
  ])('that is %s is checked at once, and named as damaged', async (_, damage) => {
    await using daemon = await MachineDaemon.startWithoutWal();
    damage(daemon.storePath);
    daemon.advance(MINUTE);
    expect(await failureOf(daemon)).toMatch(/the store is damaged .*(R|r)estore/);
    expect((await fetch(`${daemon.url}/metrics`)).status).toBe(200);
    const check = await runToEnd('store', 'check', '--config', daemon.configFile);
    expect(`${check.code} ${check.stdout}${check.stderr}`).toMatch(/^1 .*(DAMAGED|the store is damaged)/s);
  });

  test('cannot be used by a second daemon', async () => {
    await using daemon = await MachineDaemon.start();
    await using second = Program.start(['run', '--config', daemon.configFile]);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.stderr).toMatch(/another proxywatch is using this store\. Stop the other proxywatch/);
    daemon.advance(MINUTE);
    await daemon.waitForPolls();
    await daemon.expectTruth();
    expect(daemon.problems.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
