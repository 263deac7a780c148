// Tests secret files while the daemon runs: each kind is read again when its file changes, and keys also after a 401.

import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { proxyAddress, userId } from '../../src/simulator/identities.ts';
import type { Simulator } from '../../src/simulator/simulator.ts';
import { ENDPOINT, PASSWORD } from '../collectors/proxy-tests/tests-harness.ts';
import { createFolder } from '../config/support.ts';
import { accountOf, Daemon, type Sections } from './support.ts';

const OFF = { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false };
const UNUSED = 'x'.repeat('demo-private'.length);

const { host, httpPort } = proxyAddress(0);
const proxyLine = (password: string): string => `${host}:${httpPort}:${userId(0)}:${password}`;

const lastStatus = ({ requests }: Simulator): number | undefined => requests.recent.at(-1)?.status;

const lastTest = ({ requests }: Simulator): Sections => {
  const { body } = requests.recent.filter(({ endpoint }) => endpoint === ENDPOINT).at(-1) ?? {};
  return JSON.parse(String(body)) as Sections;
};

it.each(['public_key', 'private_key'])('the %s', async (key) => {
  const folder = createFolder({ key: `demo-${key.split('_')[0]}\n` });
  const file = join(folder, 'key');
  await using daemon = await Daemon.start((simulator) => ({
    accounts: [
      accountOf(simulator, {
        ...OFF,
        traffic: { catch_up: '1h', graphs: [] },
        [key]: undefined,
        [`${key}_file`]: file,
      }),
    ],
  }));
  expect(lastStatus(daemon.simulator)).toBe(200);
  const value = `demo-${key.split('_')[0]}`;
  writeFileSync(file, `${'x'.repeat(value.length)}\n`);
  await daemon.advance(MINUTE);
  expect(lastStatus(daemon.simulator)).toBe(401);
  // A file of the same size and time does not look changed, but the 401 makes proxywatch read it anyway.
  utimesSync(file, 1_000, 1_000);
  await daemon.advance(MINUTE);
  const { ino, size } = statSync(file);
  writeFileSync(file, `${value}\n`);
  utimesSync(file, 1_000, 1_000);
  expect(statSync(file)).toMatchObject({ ino, size });
  await daemon.advance(MINUTE);
  expect(lastStatus(daemon.simulator)).toBe(200);
});

it('a proxy, and the url of its target', async () => {
  const folder = createFolder({ proxy: proxyLine(UNUSED), url: 'https://shop.example/?token=one' });
  await using daemon = await Daemon.start((simulator) => ({
    accounts: [
      accountOf(simulator, {
        ...OFF,
        proxy_tests: {
          schedule: '* * * * *',
          urls: [{ name: 'shop', url_file: join(folder, 'url') }],
          proxies: [{ name: 'p', proxy_file: join(folder, 'proxy') }],
        },
      }),
    ],
  }));
  const tested = () => {
    const { proxies, urls } = lastTest(daemon.simulator) as {
      proxies: { proxy_string: string }[];
      urls: string[];
    };
    return [proxies[0]?.proxy_string, urls[0]];
  };
  expect(tested()).toEqual([proxyLine(UNUSED), 'https://shop.example/?token=one']);
  writeFileSync(join(folder, 'proxy'), proxyLine(PASSWORD));
  writeFileSync(join(folder, 'url'), 'https://shop.example/?token=two\n');
  await daemon.advance(MINUTE);
  expect(tested()).toEqual([proxyLine(PASSWORD), 'https://shop.example/?token=two']);
  // While a file is being written, its last valid value is used.
  writeFileSync(join(folder, 'proxy'), `${host}:`);
  writeFileSync(join(folder, 'url'), '');
  await daemon.advance(MINUTE);
  expect(tested()).toEqual([proxyLine(PASSWORD), 'https://shop.example/?token=two']);
});
