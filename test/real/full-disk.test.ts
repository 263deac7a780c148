// Tests that a daemon on a full disk is not ready, still serves its data, and is ready again when there is space.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { Program, waitUntil } from '../cli/program.ts';
import { configText } from '../cli/run-command.ts';
import { createFolder } from '../config/support.ts';

const SIZE = 8 * 1024 ** 2;

interface Disk extends Disposable {
  readonly path: string;
}

/** Mounts a new file system. Returns undefined if this user may not mount one. */
const mountDisk = (): Disk | undefined => {
  const path = mkdtempSync(join(tmpdir(), 'proxywatch-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  const unmount = (): void => {
    execFileSync('umount', [path]);
    rmdirSync(path);
  };
  return { path, [Symbol.dispose]: unmount };
};

/** Fills the disk, and frees the space when the result is disposed. */
const fill = (disk: Disk): Disposable => {
  const path = join(disk.path, 'filler');
  for (let size = SIZE; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // The disk has less free space than this size, so try a smaller one.
    }
  }
  return { [Symbol.dispose]: () => rmSync(path) };
};

const readiness = async (url: string): Promise<[status: number, body: string]> => {
  const response = await fetch(`${url}/-/ready`);
  return [response.status, await response.text()];
};

const canMount = (() => {
  using disk = mountDisk();
  return disk !== undefined;
})();

describe.runIf(canMount)('a full disk', () => {
  test('makes the daemon not ready, which names the store, until a write succeeds', async () => {
    using disk = mountDisk();
    if (!disk) throw new Error('no file system could be mounted');
    await using simulator = await startSimulator({ scenario: { users: 3 }, now: () => Date.now() });
    const file = join(createFolder({}), 'config.yaml');
    const account = {
      ...{ traffic: { schedule: '* * * * * *', catch_up: '1h' }, reconciliation: false },
      ...{ residential_ledger: false, proxy_users: false, requests_per_second: 100 },
    };
    const store = join(disk.path, 'proxywatch.db');
    writeFileSync(file, configText(simulator, account, { store: { path: store } }));
    await using program = Program.start(['run', '--config', file]);
    const url = await program.url();
    await waitUntil(async () => (await readiness(url))[0] === 200);

    const filler = fill(disk);
    await waitUntil(async () => (await readiness(url))[0] === 503);
    expect((await readiness(url))[1]).toMatch(
      `proxywatch is not ready:\nthe store ${store} rejects writes: the last `,
    );
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);

    filler[Symbol.dispose]();
    await waitUntil(async () => (await readiness(url))[0] === 200);
    expect(program.isRunning).toBe(true);
  });
});
