// Tests that the list of tested proxies tells a proxy's own failures from those that others explain.

import { expect, it } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { entryOf, hostOf, nameOf, URLS } from '../../collectors/proxy-tests/tests-harness.ts';
import { ALL_COLLECTORS, ApiHarness } from './api-harness.ts';

const OTHERS_OFF = Object.fromEntries(
  Object.keys(ALL_COLLECTORS)
    .filter((name) => name !== 'proxy_tests')
    .map((name) => [name, false]),
);

it('with a target and a tester at fault, only the proxies with failures of their own come first', async () => {
  const proxies = Array.from({ length: 12 }, (_, index) => entryOf(index));
  const proxy_tests = { schedule: '0 * * * *', urls: URLS, proxies };
  await using api = await ApiHarness.build({ proxies: 12 }, { ...OTHERS_OFF, proxy_tests });
  const { outages } = api.harness.simulator;
  outages.add({ kind: 'target', subject: 'shop.example' });
  outages.add({ kind: 'tester', subject: 'paris' });
  for (let hour = 0; hour < 3; hour += 1) await api.harness.advance(HOUR);
  outages.add({ kind: 'proxy', subject: hostOf(7) });
  await api.harness.advance(HOUR);
  const listed = await api.items('proxies');
  const states = listed.map(({ proxy_id, fault, own_failing_tests, explained_by }) => ({
    ...{ proxy_id, fault, own_failing_tests },
    explained: (explained_by as { kind: string; subject: string }[])
      .map(({ kind, subject }) => `${kind} ${subject}`)
      .sort(),
  }));
  const explained = ['target shop', 'tester paris'];
  expect(states[0]).toEqual({ proxy_id: nameOf(7), fault: false, own_failing_tests: 1, explained });
  expect(states.slice(1)).toEqual(
    states.slice(1).map(({ proxy_id }) => ({ proxy_id, fault: false, own_failing_tests: 0, explained })),
  );
  await api.harness.advance(HOUR);
  expect((await api.items('proxies'))[0]).toMatchObject({
    ...{ proxy_id: nameOf(7), fault: true, own_failing_tests: 4, explained_by: [] },
  });
});
