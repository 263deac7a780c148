// Tests that the built program needs nothing but Node.js.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SEPARATE } from '../../build/packages.ts';
import { Program } from '../cli/program.ts';
import { createFolder } from '../config/support.ts';
import { copyOfCheckout } from './checkout.ts';

/** Returns a folder with the build and without packages. It is deeper than the checkout, so no relative path leads there. */
const builtProgram = (): string => {
  const [checkout, folder] = [copyOfCheckout(), join(createFolder({}), 'opt/proxywatch')];
  execFileSync(process.execPath, [join(checkout, 'build/bundle.ts')]);
  mkdirSync(folder, { recursive: true });
  renameSync(join(checkout, 'dist'), join(folder, 'dist'));
  cpSync(join(checkout, 'package.json'), join(folder, 'package.json'));
  return join(folder, 'dist');
};

/** Its provider does not answer. */
const CONFIG = JSON.stringify({
  server: { listen: '127.0.0.1:0' },
  store: { path: 'store.db' },
  accounts: [{ name: 'main', base_url: 'http://127.0.0.1:9', public_key: 'a', private_key: 'b' }],
});

test('the build runs, and serves its page, without the packages of a checkout', async () => {
  const dist = builtProgram();
  const config = join(createFolder({ 'config.yaml': CONFIG }), 'config.yaml');
  await using program = Program.start(['run', '--config', config], { main: join(dist, 'main.js') });
  const url = await program.url();
  const page = await (await fetch(url)).text();
  const [, base = ''] = /(assets\/[\w-]+)\//.exec(page) ?? [];
  for (const path of ['-/healthy', 'metrics', 'api/v1/status', `${base}/main.js`, `${base}/uPlot.esm.js`])
    expect([path, (await fetch(new URL(path, url))).status]).toEqual([path, 200]);
  const require = createRequire(join(dist, 'main.js'));
  for (const name of ['better-sqlite3', 'nodemailer', 're2js']) expect(() => require(name)).not.toThrow();
  for (const name of Object.keys(SEPARATE))
    expect(readFileSync(join(dist, `node_modules/${name}/LICENSE`), 'utf8')).toMatch(/copyright/i);
  const licences = readFileSync(join(dist, 'LICENSES.txt'), 'utf8');
  for (const name of ['zod', 'fastify', 'undici', 'avvio']) expect(licences).toContain(`\n${name} `);
});
