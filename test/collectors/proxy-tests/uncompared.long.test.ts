// Tests faults with one target or one tester, over HTTP: the error source decides, and an unknown cause is reported.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { findingValues } from '../../alerts/findings.ts';
import { type AlertName, namesOfFindings } from './alert-names.ts';
import { recordedLog } from './sources-support.ts';
import { buildTests, entries, faultsOf, hostOf, LONDON } from './tests-harness.ts';

const SLOT = 10 * MINUTE;
const ONE_URL = ['https://www.example.com/'];
const [TARGET] = ONE_URL;
const INCONCLUSIVE = 'proxywatch_proxy_tests_inconclusive';

type TestsHarness = Awaited<ReturnType<typeof buildTests>>;
type Outage = Parameters<TestsHarness['simulator']['outages']['add']>[0];

const rounds = async (harness: TestsHarness, count: number): Promise<void> => {
  for (let round = 0; round < count; round += 1) await harness.advance(SLOT);
};

const found = (harness: TestsHarness): Promise<AlertName[]> => namesOfFindings(harness);

describe('with one target', () => {
  it.each([12, 8, 3])('that is dead, %i proxies and the provider are not blamed', async (count) => {
    await using harness = await buildTests({ tests: { urls: ONE_URL, proxies: entries(count) } });
    harness.simulator.outages.add({ kind: 'target', subject: 'www.example.com' });
    await rounds(harness, 3);
    expect(await faultsOf(harness)).toEqual([`target ${TARGET}`]);
    expect(await found(harness)).toEqual(['ProxyTargetBlocked']);
    harness.simulator.outages.clear();
    await rounds(harness, 1);
    expect(await faultsOf(harness)).toEqual([`target ${TARGET}`]);
    await rounds(harness, 1);
    expect(await faultsOf(harness)).toEqual([]);
  });

  it('proxies that results name are at fault, and the provider if there are many of them', async () => {
    await using harness = await buildTests({ tests: { urls: ONE_URL, proxies: entries(12) } });
    const dead = (count: number): Outage[] =>
      Array.from({ length: count }, (_, index) => ({ kind: 'proxy', subject: hostOf(index) }));
    harness.simulator.outages.replace(dead(2));
    await rounds(harness, 2);
    expect(await faultsOf(harness)).toEqual(['proxy p0', 'proxy p1']);
    harness.simulator.outages.replace(dead(12));
    await rounds(harness, 2);
    expect(await faultsOf(harness)).toEqual(['provider ']);
  });
});

describe.each([
  ['one target', { urls: ONE_URL }],
  ['one tester', { urls: ONE_URL, tester_servers: [LONDON] }],
])('with %s and an error source that names neither target nor proxy', (_, only) => {
  it.each(['client', 'a_new_source'])(
    '%s, the failures are reported as inconclusive',
    async (error_source) => {
      const { log, lines } = recordedLog();
      await using harness = await buildTests({ log, tests: { ...only, proxies: entries(12) } });
      expect((await harness.samples()).by('url', INCONCLUSIVE)).toEqual({ [TARGET ?? '']: 0 });
      harness.simulator.outages.add({ kind: 'target', subject: 'www.example.com', error_source });
      await rounds(harness, 1);
      expect(await found(harness)).toEqual([]);
      await rounds(harness, 2);
      expect(await faultsOf(harness)).toEqual([]);
      expect(await found(harness)).toEqual(['ProxyTestsInconclusive']);
      expect(await findingValues(harness, 'ProxyTestsInconclusive')).toEqual({ [TARGET ?? '']: 12 });
      const warnings = lines.filter((line) => line.includes('fail for an unknown cause'));
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('12 of 12 proxies fail all their tests');
      expect(warnings[0]).toContain(error_source);

      // Rounds without results change nothing, and neither does a restart.
      harness.simulator.faults.add({ kind: 'status', status: 500 });
      await rounds(harness, 2);
      await harness.restart();
      await rounds(harness, 1);
      expect(await findingValues(harness, 'ProxyTestsInconclusive')).toEqual({ [TARGET ?? '']: 12 });
      harness.simulator.faults.clear();

      harness.simulator.outages.clear();
      await rounds(harness, 1);
      expect(await found(harness)).toEqual(['ProxyTestsInconclusive']);
      await rounds(harness, 1);
      expect(await found(harness)).toEqual([]);
      expect((await harness.samples()).by('url', INCONCLUSIVE)).toEqual({ [TARGET ?? '']: 0 });
    },
  );
});

it('a fault keeps its reason over rounds without results and a restart', async () => {
  await using harness = await buildTests({ tests: { proxies: entries(6) } });
  harness.simulator.outages.add({ kind: 'proxy', subject: hostOf(3) });
  await rounds(harness, 2);
  const reason = async () => (await harness.app.store.tests.faults('main')).map((fault) => fault.reason);
  const firstReason = await reason();
  expect(firstReason).toEqual([expect.stringContaining('4 of 4 tests fail, 2 rounds in a row')]);
  harness.simulator.faults.add({ kind: 'status', status: 500 });
  await rounds(harness, 1);
  expect(await reason()).toEqual(firstReason);
  await harness.restart();
  await rounds(harness, 1);
  expect(await reason()).toEqual(firstReason);
  harness.simulator.faults.clear();
  await rounds(harness, 1);
  expect(await reason()).toEqual([expect.stringContaining('4 of 4 tests fail, 3 rounds in a row')]);
});
