// A daemon whose disk fills up: it is not ready, goes on serving what it knows, and is ready again when there is room.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { configOf } from '../cli/in-process.ts';
import { Program, until } from '../cli/program.ts';
import { folderOf } from '../config/support.ts';

const SIZE = 8 * 1024 ** 2;

interface Disk extends Disposable {
  readonly path: string;
}

/** A file system of its own; undefined where this user may mount none. */
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

/** Takes all room there is, and gives it back when it is disposed of. */
const fill = (disk: Disk): Disposable => {
  const path = join(disk.path, 'filler');
  for (let size = SIZE; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // As much as there was room for is written; what is left is less than this.
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
    const file = join(folderOf({}), 'config.yaml');
    const account = {
      ...{ traffic: { schedule: '* * * * * *', catch_up: '1h' }, reconciliation: false },
      ...{ residential_ledger: false, proxy_users: false, requests_per_second: 100 },
    };
    const store = join(disk.path, 'proxywatch.db');
    writeFileSync(file, configOf(simulator, account, { store: { path: store } }));
    await using program = Program.start(['run', '--config', file]);
    const url = await program.url();
    await until(async () => (await readiness(url))[0] === 200);

    const filler = fill(disk);
    await until(async () => (await readiness(url))[0] === 503);
    expect((await readiness(url))[1]).toMatch(
      `proxywatch is not ready:\nthe store ${store} takes no writes: the last `,
    );
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);

    filler[Symbol.dispose]();
    await until(async () => (await readiness(url))[0] === 200);
    expect(program.isRunning).toBe(true);
  });
});
