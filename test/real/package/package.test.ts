// Tests that the package as npm packs it runs in an empty folder.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getText, Program } from '../../cli/program.ts';
import { HASH, PASSWORD, request } from '../../http/web-config-support.ts';
import { Samples } from '../../support/samples.ts';
import { checkMetrics } from '../check-metrics.ts';
import { describeWith } from '../with-programs.ts';
import { type Installed, installPackage, run } from './installed.ts';

let installed: Installed;

beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed[Symbol.asyncDispose]());

test('the installed command runs', async () => {
  expect(await run(installed.folder, installed.program, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe('its demo', () => {
  let demo: Program;
  beforeAll(() => {
    const { program: main, folder: cwd } = installed;
    demo = Program.start(['demo', '--listen', '127.0.0.1:0'], { main, cwd });
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  test('serves metrics and the page with its files', async () => {
    const samples = new Samples(await getText(`${await demo.url()}/metrics`));
    expect(samples.value('proxywatch_traffic_bytes_total')).toBeGreaterThan(0);
    const page = await getText(await demo.url());
    for (const [, path] of page.matchAll(/(?:src|href)="(assets\/[^"]+)"/g))
      expect((await getText(`${await demo.url()}/${path}`)).length).toBeGreaterThan(0);
    expect(page).toContain('/main.js"');
  });

  describeWith(['promtool'], 'promtool', () => {
    test('finds nothing wrong with its metrics', async () => {
      const text = await getText(`${await demo.url()}/metrics`);
      expect(await checkMetrics(text)).toEqual({ code: 0, output: '' });
    });
  });

  test('stops on SIGTERM', async () => {
    demo.kill('SIGTERM');
    expect(await demo.ended).toEqual({ code: 0, signal: null });
  });
});

test('it checks passwords, on a thread whose file is in the package', async () => {
  const accounts = [{ name: 'main', public_key: 'a', private_key: 'b', base_url: 'http://127.0.0.1:9' }];
  const server = { listen: '127.0.0.1:0', web_config_file: 'web.yml' };
  await writeFile(
    join(installed.folder, 'config.yaml'),
    JSON.stringify({ server, store: { path: 'store.db' }, accounts }),
  );
  await writeFile(
    join(installed.folder, 'web.yml'),
    JSON.stringify({ basic_auth_users: { prometheus: HASH } }),
  );
  const args = ['run', '--config', join(installed.folder, 'config.yaml')];
  await using daemon = Program.start(args, { main: installed.program });
  const url = `${await daemon.url()}/-/healthy`;
  const statuses = [`prometheus:${PASSWORD}`, 'prometheus:wrong'].map(
    async (auth) => (await request(url, { auth })).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 401]);
});
