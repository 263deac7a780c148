// Tests doctor: the prices that it proposes are a valid section, and are those of the provider, and the testers exist.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { priceOptions } from '../../src/collectors/prices/options.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { runCommand, unwarnedConfigText } from './run-command.ts';

const linesAbout = async (
  account: Record<string, unknown>,
  fault?: object,
  about = ': price of ',
): Promise<string[]> => {
  await using simulator = await startSimulator({ scenario: { users: 1 }, now: () => Date.now() });
  if (fault) simulator.faults.add(fault as never);
  const text = unwarnedConfigText(simulator, account, { store: { path: 'store.db' } });
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  const { stdout } = await runCommand(doctor, { config });
  return stdout.split('\n').filter((line) => line.includes(about));
};

test('proposes settings that can be copied', async () => {
  const lines = await linesAbout({ mobile_ledger: {} });
  expect(lines.map((line) => line.split(': by ')[0])).toEqual([
    'ok      main: price of residential data',
    'ok      main: price of mobile data',
  ]);
  const settings = lines.map((line) => /"(.*)"/.exec(line)?.[1] ?? '').join('\n');
  expect(priceOptions.parse(parse(settings))).toMatchObject({
    residential: {
      type: 'volume',
      tiers: [{ up_to: 10, price: 4 }, { up_to: 100, price: 3.5 }, { price: 3 }],
    },
    mobile: 6,
  });
  expect(lines[0]).toContain('GB or GiB');
});

test('a refusal is unknown, and is not mentioned without the section', async () => {
  const refused = { kind: 'status', status: 403, endpoint: 'product' };
  expect(await linesAbout({}, refused)).toEqual([]);
  expect(await linesAbout({ prices: { residential: 1 } }, refused)).toEqual([
    'unknown main: price of residential data: the provider shows this account no prices',
  ]);
});

test.each([
  [['london'], undefined, 'warning main: tester_servers: the provider does not list london. Use some of'],
  [['london-2-digitalocean-proxytester-1'], undefined, 'ok      main: tester_servers: the provider has all'],
  [['london'], 403, 'unknown main: tester_servers: the provider does not list its testers'],
  [[], undefined, undefined],
])('says of the testers %j with status %s: %s', async (tester_servers, status, line) => {
  const proxies = [{ product_type: 'isp', proxy: '192.0.2.1:8000:alice:password' }];
  const proxy_tests = { urls: ['https://example.com/'], proxies, tester_servers };
  const fault = status && { kind: 'status', status, endpoint: 'proxy_test_server/search' };
  const lines = await linesAbout({ proxy_tests }, fault || undefined, ': tester_servers');
  expect(lines).toEqual(line === undefined ? [] : [expect.stringContaining(line)]);
});
