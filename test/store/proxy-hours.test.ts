// Tests that the hours of several proxies are those of each of them.

import { expect, it } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import type { FaultKind } from '../../src/store/test-store.ts';
import { START, TestStore } from './support.ts';
import { failure, result, save } from './test-results.ts';

const PROXIES = ['fr-1', 'fr-2', 'fr-3'];
const CAUSES: readonly (FaultKind | null)[] = ['proxy', 'target', null];

it('reads the hours of each proxy, and leaves out proxies without results', async () => {
  using test = new TestStore();
  const first = Math.floor(START / HOUR) * HOUR;
  for (const [index, hour] of [0, 3, 3, 20, 23, 30].entries())
    await save(
      test,
      PROXIES.flatMap((proxy, number) =>
        ['shop', 'news'].map((url) => {
          const cause = CAUSES[(index + number) % CAUSES.length] ?? null;
          return (index + number) % 2 === 0 ? result({ proxy, url }) : failure({ proxy, url, cause });
        }),
      ),
      first + hour * HOUR,
    );
  await save(test, [result({ proxy: 'old' })], first - HOUR);
  await test.store.tests.saveBatch('shop', { results: [result()], proxies: ['fr-1'], now: first });
  const { tests } = test.store;
  for (const [from, to] of [
    [first, first + 24 * HOUR],
    [first + 3 * HOUR, first + 31 * HOUR],
  ] as const) {
    const found = await tests.proxyHours('main', [...PROXIES, 'old', 'nobody'], from, to);
    expect([...found.keys()].toSorted()).toEqual(PROXIES);
    for (const proxy of PROXIES)
      expect(found.get(proxy)).toEqual(await tests.uptimeHistory('main', { proxy }, from, to, HOUR));
  }
  expect(await tests.proxyHours('main', [], first, first + HOUR)).toEqual(new Map());
});
