// Faults with one target or one tester, over HTTP: the error source decides, and what it leaves open is said.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { findingsOf } from '../../alerts/findings.ts';
import { type AlertName, namesOfFindings } from './alert-names.ts';
import { recordedLog } from './sources-support.ts';
import { buildTests, entries, faultsOf, hostOf, LONDON } from './tests-house.ts';

const SLOT = 10 * MINUTE;
const ONE_URL = ['https://www.example.com/'];
const [TARGET] = ONE_URL;
const INCONCLUSIVE = 'proxywatch_proxy_tests_inconclusive';

type House = Awaited<ReturnType<typeof buildTests>>;
type Outage = Parameters<House['simulator']['outages']['add']>[0];

const rounds = async (house: House, count: number): Promise<void> => {
  for (let round = 0; round < count; round += 1) await house.advance(SLOT);
};

const found = (house: House): Promise<AlertName[]> => namesOfFindings(house);

describe('with one target', () => {
  it.each([12, 8, 3])('that is dead, %i proxies and the provider are not blamed', async (count) => {
    await using house = await buildTests({ tests: { urls: ONE_URL, proxies: entries(count) } });
    house.simulator.outages.add({ kind: 'target', subject: 'www.example.com' });
    await rounds(house, 3);
    expect(await faultsOf(house)).toEqual([`target ${TARGET}`]);
    expect(await found(house)).toEqual(['ProxyTargetBlocked']);
    house.simulator.outages.clear();
    await rounds(house, 1);
    expect(await faultsOf(house)).toEqual([`target ${TARGET}`]);
    await rounds(house, 1);
    expect(await faultsOf(house)).toEqual([]);
  });

  it('proxies that results blame are at fault, and many of them are the provider’s', async () => {
    await using house = await buildTests({ tests: { urls: ONE_URL, proxies: entries(12) } });
    const dead = (count: number): Outage[] =>
      Array.from({ length: count }, (_, index) => ({ kind: 'proxy', subject: hostOf(index) }));
    house.simulator.outages.replace(dead(2));
    await rounds(house, 2);
    expect(await faultsOf(house)).toEqual(['proxy p0', 'proxy p1']);
    house.simulator.outages.replace(dead(12));
    await rounds(house, 2);
    expect(await faultsOf(house)).toEqual(['provider ']);
  });
});

describe.each([
  ['one target', { urls: ONE_URL }],
  ['one tester', { urls: ONE_URL, tester_servers: [LONDON] }],
])('with %s and an error source that names neither target nor proxy', (_, only) => {
  it.each(['client', 'a_new_source'])('%s, nobody is blamed, and that is told', async (error_source) => {
    const { log, lines } = recordedLog();
    await using house = await buildTests({ log, tests: { ...only, proxies: entries(12) } });
    expect((await house.samples()).by('url', INCONCLUSIVE)).toEqual({ [TARGET ?? '']: 0 });
    house.simulator.outages.add({ kind: 'target', subject: 'www.example.com', error_source });
    await rounds(house, 1);
    expect(await found(house)).toEqual([]);
    await rounds(house, 2);
    expect(await faultsOf(house)).toEqual([]);
    expect(await found(house)).toEqual(['ProxyTestsInconclusive']);
    expect(await findingsOf(house, 'ProxyTestsInconclusive')).toEqual({ [TARGET ?? '']: 12 });
    const told = lines.filter((line) => line.includes('fail for an unknown cause'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('12 of 12 proxies fail in all their tests');
    expect(told[0]).toContain(error_source);

    // Rounds without results change nothing, and neither does a restart.
    house.simulator.faults.add({ kind: 'status', status: 500 });
    await rounds(house, 2);
    await house.restart();
    await rounds(house, 1);
    expect(await findingsOf(house, 'ProxyTestsInconclusive')).toEqual({ [TARGET ?? '']: 12 });
    house.simulator.faults.clear();

    house.simulator.outages.clear();
    await rounds(house, 1);
    expect(await found(house)).toEqual(['ProxyTestsInconclusive']);
    await rounds(house, 1);
    expect(await found(house)).toEqual([]);
    expect((await house.samples()).by('url', INCONCLUSIVE)).toEqual({ [TARGET ?? '']: 0 });
  });
});

it('a fault keeps its reason over rounds without results and a restart', async () => {
  await using house = await buildTests({ tests: { proxies: entries(6) } });
  house.simulator.outages.add({ kind: 'proxy', subject: hostOf(3) });
  await rounds(house, 2);
  const reason = async () => (await house.app.store.tests.faults('main')).map((fault) => fault.reason);
  const told = await reason();
  expect(told).toEqual([expect.stringContaining('4 of 4 tests fail, 2 rounds in a row')]);
  house.simulator.faults.add({ kind: 'status', status: 500 });
  await rounds(house, 1);
  expect(await reason()).toEqual(told);
  await house.restart();
  await rounds(house, 1);
  expect(await reason()).toEqual(told);
  house.simulator.faults.clear();
  await rounds(house, 1);
  expect(await reason()).toEqual([expect.stringContaining('4 of 4 tests fail, 3 rounds in a row')]);
});
