// The image as the Dockerfile makes it: built, run as hardened as it can be, checked, and stopped. Where no container
// can run its steps are run in a clean folder, and the title of the tests says so.

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { configOf } from '../../cli/in-process.ts';
import { getText, until } from '../../cli/program.ts';
import { Samples } from '../../support/samples.ts';
import { freePort } from '../prometheus-server.ts';
import { missingOf } from '../with-programs.ts';
import { prepareFolder } from './clean-folder.ts';
import { temporaryFolder } from './commands.ts';
import { buildImage, CONTAINER_PROGRAMS, whyNoContainer } from './container.ts';
import type { Place, Started } from './place.ts';

const BUILT_WITHIN_MS = 600_000;

const missing = missingOf(CONTAINER_PROGRAMS);
const reason = missing.length > 0 ? `not installed: ${missing.join(', ')}` : await whyNoContainer();
const title =
  reason === undefined
    ? 'the image'
    : `NO CONTAINER RUNS HERE (${reason}): the image's steps in a clean folder`;

test.runIf(process.env.CI)('what makes and runs containers is installed', () => {
  expect(missing).toEqual([]);
});

describe(title, () => {
  const stack = new AsyncDisposableStack();
  let place: Place;
  let started: Started;
  let url: string;

  beforeAll(async () => {
    place = stack.use(await (reason === undefined ? buildImage() : prepareFolder()));
    const provider = stack.use(
      await startSimulator({ scenario: { users: 3, proxies: 3 }, now: () => Date.now() }),
    );
    const config = stack.use(await temporaryFolder()).path;
    await writeConfig(config, provider);
    const address = `127.0.0.1:${await freePort()}`;
    url = `http://${address}`;
    const env = { PROXYWATCH_LISTEN: address, PROXYWATCH_HEALTH_URL: `${url}/-/healthy` };
    started = await place.start({ config, env });
    stack.defer(async () => void (await started.stop()));
    await until(async () => !started.daemon.isRunning || (await isReady(url)));
    if (!started.daemon.isRunning) throw new Error(`it ended: ${started.daemon.log}`);
  }, BUILT_WITHIN_MS);
  afterAll(() => stack.disposeAsync());

  test('serves what it polls', async () => {
    const samples = new Samples(await getText(`${url}/metrics`));
    expect(samples.value('proxywatch_traffic_last_bucket_bytes')).toBeGreaterThan(0);
  });

  test('finds itself well', async () => {
    expect(await started.checkHealth()).toBe(0);
  });

  test('holds the built program and what it needs to run, and nothing else', async () => {
    const listed = async (names: string) => (await started.shell(`ls -d ${names}`)).trim().split('\n');
    expect(await listed('*')).toEqual(['LICENSE', 'dist', 'node_modules', 'package.json']);
    const packages = await listed('node_modules/*/package.json node_modules/@*/*/package.json');
    expect(packages).toContain('node_modules/better-sqlite3/package.json');
    const forDevelopers = /^node_modules\/(typescript|vitest|node-linux|@types|@biomejs|@typescript)/;
    expect(packages.filter((path) => forDevelopers.test(path))).toEqual([]);
  });

  describe.runIf(reason === undefined)('as a container', () => {
    test('is nobody, and writes nothing but its data', async () => {
      expect(await started.shell('id -u; id -g')).toBe('65532\n65532\n');
      expect(await started.shell('ls /data')).toContain('proxywatch.db');
      for (const path of ['/x', '/app/x', '/etc/proxywatch/x']) {
        await expect(started.shell(`touch ${path}`)).rejects.toThrow('Read-only file system');
      }
    });

    test('has no package manager', async () => {
      const found = 'for name in npm npx corepack yarn; do command -v $name; done; ls /usr/local/lib';
      expect(await started.shell(found)).toBe('');
    });

    test('has its commands on the path', async () => {
      expect(await started.shell('proxywatch --version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    });
  });

  // The last of the daemon.
  test('ends with 0 when it is told to', async () => {
    expect(await started.stop()).toBe(0);
    expect(started.daemon.log).toContain('"stopping"');
  });
});

const writeConfig = async (folder: string, provider: Simulator): Promise<void> => {
  const account = { private_key: undefined, private_key_file: 'private_key' };
  // Where it listens, and where its store is, are the image's to say.
  await writeFile(join(folder, 'config.yaml'), configOf(provider, account, { server: {} }));
  await writeFile(join(folder, 'private_key'), provider.privateKey);
  // The daemon is another user.
  await chmod(folder, 0o755);
};

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
