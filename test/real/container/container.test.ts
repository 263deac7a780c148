// Tests the image of the Dockerfile: builds it, runs it hardened, checks it and stops it. If no container can run, the
// build steps run in a clean folder and the tests' title says so.

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { getText, waitUntil } from '../../cli/program.ts';
import { configText } from '../../cli/run-command.ts';
import { freeAddress } from '../../support/free-port.ts';
import { Samples } from '../../support/samples.ts';
import { missingOf } from '../with-programs.ts';
import { prepareFolder } from './clean-folder.ts';
import { temporaryFolder } from './commands.ts';
import { buildImage, CONTAINER_PROGRAMS, containerUnavailableReason } from './container.ts';
import type { Deployment, StartedDaemon } from './deployment.ts';

const BUILD_TIMEOUT_MS = 600_000;

const missing = missingOf(CONTAINER_PROGRAMS);
const reason =
  missing.length > 0 ? `not installed: ${missing.join(', ')}` : await containerUnavailableReason();
const title =
  reason === undefined
    ? 'the image'
    : `NO CONTAINER RUNS HERE (${reason}): the image's steps in a clean folder`;

test.runIf(process.env.CI)('the programs that build and run containers are installed', () => {
  expect(missing).toEqual([]);
});

describe(title, () => {
  const stack = new AsyncDisposableStack();
  let deployment: Deployment;
  let started: StartedDaemon;
  let url: string;

  beforeAll(async () => {
    deployment = stack.use(await (reason === undefined ? buildImage() : prepareFolder()));
    const provider = stack.use(
      await startSimulator({ scenario: { users: 3, proxies: 3 }, now: () => Date.now() }),
    );
    const config = stack.use(await temporaryFolder()).path;
    await writeConfig(config, provider);
    const address = await freeAddress();
    url = `http://${address}`;
    const env = { PROXYWATCH_LISTEN: address, PROXYWATCH_HEALTH_URL: `${url}/-/healthy` };
    started = await deployment.start({ config, env });
    stack.defer(async () => void (await started.stop()));
    await waitUntil(async () => !started.daemon.isRunning || (await isReady(url)));
    if (!started.daemon.isRunning) throw new Error(`it ended: ${started.daemon.log}`);
  }, BUILD_TIMEOUT_MS);
  afterAll(() => stack.disposeAsync());

  test('serves the polled data', async () => {
    const samples = new Samples(await getText(`${url}/metrics`));
    expect(samples.value('proxywatch_traffic_last_bucket_bytes')).toBeGreaterThan(0);
  });

  test('passes its health check', async () => {
    expect(await started.checkHealth()).toBe(0);
  });

  test('contains only the built program', async () => {
    const listed = async (names: string) => (await started.shell(`ls -d ${names}`)).trim().split('\n');
    expect(await listed('*')).toEqual(['LICENSE', 'dist', 'package.json']);
    const packages = await listed('dist/node_modules/*');
    expect(packages).toContain('dist/node_modules/better-sqlite3');
    const compiled = await listed('dist/node_modules/better-sqlite3/prebuilds/*');
    expect(compiled.filter((path) => !path.includes('/linux'))).toEqual([]);
    // The list of packages names what is installed.
    const sbom = JSON.parse(await started.shell('cat dist/sbom.spdx.json')) as {
      packages: { name: string }[];
    };
    const named = sbom.packages.map(({ name }) => `dist/node_modules/${name}`);
    expect(packages.filter((path) => !named.includes(path))).toEqual([]);
  });

  describe.runIf(reason === undefined)('as a container', () => {
    test('runs as an unprivileged user, and can write only to its data folder', async () => {
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

  // This test stops the daemon, so it must be the last.
  test('exits with 0 on SIGTERM', async () => {
    expect(await started.stop()).toBe(0);
    expect(started.daemon.log).toContain('"received a stop signal, stopping"');
  });
});

const writeConfig = async (folder: string, provider: Simulator): Promise<void> => {
  const account = { private_key: undefined, private_key_file: 'private_key' };
  // The image sets the listen address and the path of the store.
  await writeFile(join(folder, 'config.yaml'), configText(provider, account, { server: {} }));
  await writeFile(join(folder, 'private_key'), provider.privateKey);
  // The daemon runs as another user.
  await chmod(folder, 0o755);
};

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
