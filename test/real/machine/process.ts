// Tests a daemon whose process is stopped for a while, whose files are limited, and whose WAL is removed.

import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../../src/lib/time.ts';
import { getText, waitUntil } from '../../cli/program.ts';
import { MachineDaemon } from './machine-daemon.ts';

/** Seconds for which the process is stopped; 300 takes five minutes. */
const STOPPED_SECONDS = Number(process.env.PROXYWATCH_STOPPED_SECONDS ?? 10);
const timeout = 300_000 + STOPPED_SECONDS * SECOND;

const setFileLimit = ({ program }: MachineDaemon, limit: number): void => {
  execFileSync('prlimit', ['--pid', String(program.pid), `--nofile=${limit}:`]);
};

const openFiles = ({ program }: MachineDaemon): number => readdirSync(`/proc/${program.pid}/fd`).length;

/** Sends a request over a new connection. Returns the status, or the code of the error. */
const statusOf = (url: string): Promise<number | string | undefined> =>
  new Promise((resolve) => {
    request(url, { agent: false, timeout: 2 * SECOND }, (response) => resolve(response.statusCode))
      .on('timeout', function (this: ReturnType<typeof request>) {
        this.destroy();
        resolve('timeout');
      })
      .on('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
      .end();
  });

/** Whether the counters equal the simulator's truth. */
const isTrue = (daemon: MachineDaemon): Promise<boolean> =>
  daemon.expectTruth().then(
    () => true,
    () => false,
  );

const errorsOf = ({ problems }: MachineDaemon) => problems.filter(({ level }) => level === 'error');

describe.concurrent('a daemon', () => {
  test('whose open files are exhausted recovers when the limit is raised', { timeout }, async () => {
    await using daemon = await MachineDaemon.start();
    const before = openFiles(daemon);
    setFileLimit(daemon, 10);
    // The provider closes all connections, so the daemon needs new ones.
    daemon.simulator.faults.add({ kind: 'cut_off' });
    // The problem of one part is a warning, and the problem of a whole run is an error.
    const isReported = (text: unknown) => String(text).includes('Raise its limit of open files');
    await waitUntil(() => daemon.problems.some((entry) => isReported(entry.message)));
    daemon.simulator.faults.replace([]);
    daemon.advance(MINUTE);
    await waitUntil(async () => (await statusOf(`${daemon.url}/-/healthy`)) !== 200);
    setFileLimit(daemon, 4_096);
    await waitUntil(async () => (await statusOf(`${daemon.url}/-/healthy`)) === 200);
    await daemon.waitForPolls();
    // A graph that failed several times is read again only after a pause.
    await waitUntil(() => isTrue(daemon));
    expect((await daemon.readiness())[0]).toBe(200);
    expect(
      errorsOf(daemon).filter(({ msg }) => msg.startsWith('the store fails')).length,
    ).toBeLessThanOrEqual(1);
    expect(openFiles(daemon)).toBeLessThan(before + 20);
  });

  test('that is stopped and continued has no gap, and fires no alert', { timeout }, async () => {
    await using daemon = await MachineDaemon.start();
    await waitUntil(() => daemon.fired.length >= 5);
    const fired = daemon.fired.toSorted();
    daemon.program.kill('SIGSTOP');
    await delay(STOPPED_SECONDS * SECOND);
    daemon.advance(STOPPED_SECONDS * SECOND);
    daemon.program.kill('SIGCONT');
    await daemon.waitForPolls();
    await daemon.expectTruth();
    expect(daemon.fired.toSorted()).toEqual(fired);
    // The provider closes connections that are idle for long, so a request that was in flight may fail once.
    expect(errorsOf(daemon).filter(({ kind }) => kind !== 'network' && kind !== 'timeout')).toEqual([]);
    expect(errorsOf(daemon).length).toBeLessThanOrEqual(10);
    const pauses = daemon.problems.filter(({ msg }) => msg.startsWith('proxywatch was paused'));
    expect(pauses).toHaveLength(STOPPED_SECONDS > 60 ? 1 : 0);
  });

  test('whose WAL is removed while it is stopped begins a new epoch', { timeout }, async () => {
    await using daemon = await MachineDaemon.startWithoutWal();
    daemon.advance(MINUTE);
    await daemon.waitForPolls();
    await daemon.end('SIGKILL');
    rmSync(`${daemon.storePath}-wal`);
    daemon.restart();
    const url = await daemon.program.url();
    expect(daemon.problems.filter(({ msg }) => msg.startsWith('the store is an older file'))).toHaveLength(1);
    await waitUntil(async () => (await fetch(`${url}/-/ready`)).ok);
    expect(await getText(`${url}/metrics`)).toContain('proxywatch_store_epoch_timestamp_seconds');
    expect(errorsOf(daemon)).toEqual([]);
  });
});
