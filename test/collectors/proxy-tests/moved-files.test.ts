// Tests that proxies of files keep their faults when the files are in another folder, as after a restore.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { proxyAddress } from '../../../src/simulator/identities.ts';
import { createFolder } from '../../config/support.ts';
import { Harness } from '../../support/harness.ts';
import { faultsOf, PASSWORD, START, URLS } from './tests-harness.ts';

const lineOf = (index: number): string => {
  const { host, httpPort } = proxyAddress(index);
  return `${host}:${httpPort}:user-000000:${PASSWORD}`;
};

const optionsOf = (file: string) => ({
  proxy_tests: { schedule: '*/10 * * * *', urls: URLS, proxies: [{ file }] },
});

const firingProxies = async ({ app }: Harness) =>
  (await app.store.alerts.page())
    .filter(({ alert, firingSince }) => alert === 'ProxyFailing' && firingSince !== null)
    .map(({ labels, since }) => [labels.proxy_id, since]);

test('faults and alerts stay when the lists are in another folder', async () => {
  const folder = createFolder({ 'old/a.txt': [0, 1, 2].map(lineOf).join('\n') });
  const OFF = { traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false };
  await using harness = await Harness.build({
    now: START,
    account: { ...OFF, ...optionsOf(join(folder, 'old/*.txt')) },
    alerts: { evaluate: true },
  });
  harness.simulator.outages.add({ kind: 'proxy', subject: proxyAddress(1).host });
  for (let rounds = 0; rounds < 3; rounds += 1) await harness.advance(10 * MINUTE);
  const [faults, firing] = [await faultsOf(harness), await firingProxies(harness)];
  expect([faults.length, firing.length]).toEqual([1, 1]);

  mkdirSync(join(folder, 'new'));
  copyFileSync(join(folder, 'old/a.txt'), join(folder, 'new/a.txt'));
  await harness.restart(optionsOf(join(folder, 'new/*.txt')));
  await harness.advance(MINUTE);
  expect(await faultsOf(harness)).toEqual(faults);
  expect(await firingProxies(harness)).toEqual(firing);
  for (let rounds = 0; rounds < 3; rounds += 1) await harness.advance(10 * MINUTE);
  expect(await faultsOf(harness)).toEqual(faults);
  expect(await firingProxies(harness)).toEqual(firing);

  // A list that lacks the proxy removes it, as ever.
  const other = createFolder({ 'a.txt': [0, 2].map(lineOf).join('\n') });
  await harness.restart(optionsOf(join(other, '*.txt')));
  await harness.advance(10 * MINUTE);
  expect(await faultsOf(harness)).toEqual([]);
});
