// Tests doctor: the prices that it proposes are a valid section, and are those of the provider.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { priceOptions } from '../../src/collectors/prices/options.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { createFolder } from '../config/support.ts';
import { runCommand, unwarnedConfigText } from './run-command.ts';

const linesAbout = async (account: Record<string, unknown>, fault?: object): Promise<string[]> => {
  await using simulator = await startSimulator({ scenario: { users: 1 }, now: () => Date.now() });
  if (fault) simulator.faults.add(fault as never);
  const text = unwarnedConfigText(simulator, account, { store: { path: 'store.db' } });
  const config = join(createFolder({ 'config.yaml': text }), 'config.yaml');
  const { stdout } = await runCommand(doctor, { config });
  return stdout.split('\n').filter((line) => line.includes(': price of '));
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
