// Tests that the package as npm packs it can be installed into an empty folder and runs there.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getText, Program } from '../cli/program.ts';
import { HASH, PASSWORD, request } from '../http/web-config-support.ts';
import { Samples } from '../support/samples.ts';

const ROOT = join(import.meta.dirname, '../..');

const run = async (cwd: string, command: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd, timeout: 100_000 })).stdout;

let folder = '';
let program = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proxywatch-package-'));
  await run(ROOT, 'npm', 'run', 'build');
  const tarball = (await run(ROOT, 'npm', 'pack', '--pack-destination', folder)).trim();
  await run(folder, 'npm', 'install', '--omit=dev', '--omit=optional', '--ignore-scripts', `./${tarball}`);
  program = join(folder, 'node_modules/.bin/proxywatch');
});
afterAll(() => rm(folder, { recursive: true }));

test('the installed command runs', async () => {
  expect(await run(folder, program, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('its demo serves, and stops on SIGTERM', async () => {
  await using demo = Program.start(['demo', '--listen', '127.0.0.1:0'], { main: program });
  const samples = new Samples(await getText(`${await demo.url()}/metrics`));
  expect(samples.value('proxywatch_traffic_bytes_total')).toBeGreaterThan(0);
  const page = await getText(await demo.url());
  for (const [, path] of page.matchAll(/(?:src|href)="(assets\/[^"]+)"/g))
    expect((await getText(`${await demo.url()}/${path}`)).length).toBeGreaterThan(0);
  expect(page).toContain('/main.js"');
  demo.kill('SIGTERM');
  expect(await demo.ended).toEqual({ code: 0, signal: null });
});

test('it checks passwords, on a thread whose file is in the package', async () => {
  const accounts = [{ name: 'main', public_key: 'a', private_key: 'b', base_url: 'http://127.0.0.1:9' }];
  const server = { listen: '127.0.0.1:0', web_config_file: 'web.yml' };
  await writeFile(
    join(folder, 'config.yaml'),
    JSON.stringify({ server, store: { path: 'store.db' }, accounts }),
  );
  await writeFile(join(folder, 'web.yml'), JSON.stringify({ basic_auth_users: { prometheus: HASH } }));
  const args = ['run', '--config', join(folder, 'config.yaml')];
  await using daemon = Program.start(args, { main: program });
  const url = `${await daemon.url()}/-/healthy`;
  const statuses = [`prometheus:${PASSWORD}`, 'prometheus:wrong'].map(
    async (auth) => (await request(url, { auth })).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 401]);
});
