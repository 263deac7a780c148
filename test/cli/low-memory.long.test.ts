// Tests that the daemon replaces its process by one that uses less memory (Linux).

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../config/support.ts';
import { Program } from './program.ts';

const configOf = (accounts: number): string =>
  JSON.stringify({
    server: { listen: '127.0.0.1:0' },
    store: { path: 'store.db' },
    accounts: Array.from({ length: accounts }, (_, n) => ({
      ...{ name: `account-${n}`, base_url: 'http://127.0.0.1:9', public_key: 'a', private_key: 'b' },
    })),
  });

const start = (env: Record<string, string> = {}, accounts = 1): Program => {
  const folder = createFolder({ 'config.yaml': configOf(accounts) });
  return Program.start(['run', '--config', join(folder, 'config.yaml')], { env });
};

const readProcess = ({ pid }: Program, file: 'cmdline' | 'environ'): string[] =>
  readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');

describe.runIf(existsSync('/proc/self/environ'))('the daemon', () => {
  it('has a small young generation, one area of memory, and the process id that it was started with', async () => {
    await using program = start();
    await program.url();
    expect(readProcess(program, 'cmdline')).toContain('--max-semi-space-size=1');
    expect(readProcess(program, 'environ')).toContain('MALLOC_ARENA_MAX=1');
  });

  it('has a larger young generation with many accounts, and the same process id', async () => {
    await using program = start({}, 60);
    await program.url();
    expect(readProcess(program, 'cmdline')).toContain('--max-semi-space-size=3');
    expect(readProcess(program, 'environ')).toContain('MALLOC_ARENA_MAX=1');
  });

  it('keeps another number of areas', async () => {
    await using program = start({ MALLOC_ARENA_MAX: '2' });
    await program.url();
    expect(readProcess(program, 'environ').filter((entry) => entry.startsWith('MALLOC_ARENA_MAX'))).toEqual([
      'MALLOC_ARENA_MAX=2',
    ]);
  });
});

/** Prints the parts of Intl that an import and a schedule create. Each first one takes 2 to 7 MB of memory. */
const USED_OF_INTL = `
  for (const name of ['Collator', 'DateTimeFormat', 'DisplayNames', 'NumberFormat'])
    Intl[name] = new Proxy(Intl[name], { construct: () => console.log(name) ?? {} });
  await import(${JSON.stringify(join(import.meta.dirname, '../../src/cli/run.ts'))});
  const { cronOf } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/lib/cron.ts'))});
  cronOf('*/5 * * * *', 'UTC').next(Date.UTC(2026, 6));`;

it('the imports of the daemon and the default schedules create no part of Intl', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', USED_OF_INTL], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, '']);
});
