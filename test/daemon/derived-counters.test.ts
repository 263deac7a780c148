// Tests the setting that shows counters that follow from others.

import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { buildTests, hostOf, START } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';

const sumOf = async (harness: Harness, name: string): Promise<number> =>
  (await harness.samples())
    .all(`proxywatch_proxy_test_${name}_total`)
    .reduce((sum, { value }) => sum + value, 0);

it('turned on later, the counter of successes shows all since the first test: results minus failures', async () => {
  await using harness = await buildTests({ scenario: { outages: [{ kind: 'proxy', subject: hostOf(0) }] } });
  const [results, failures] = [await sumOf(harness, 'results'), await sumOf(harness, 'failures')];
  expect([failures > 0, await sumOf(harness, 'successes')]).toEqual([true, 0]);
  await harness.stop();
  await using turnedOn = await buildTests({
    ...{ storeFile: harness.storePath, now: new Date(Date.parse(START) + MINUTE).toISOString() },
    metrics: { derived_counters: true },
  });
  expect(await sumOf(turnedOn, 'successes')).toBe(results - failures);
});
