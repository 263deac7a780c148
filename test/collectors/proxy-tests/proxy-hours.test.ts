// Tests that the hours of a proxy come from the same source as the uptime that the list has of it.

import { expect, test } from 'vitest';
import { readProxyHours } from '../../../src/collectors/proxy-tests/uptime-history.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';

const NOW = Date.parse('2026-07-05T12:01:30Z');

/** A source whose newest results have these ages (ms), by proxy. It has hours of those of the last day. */
const sourceOf = (name: string, ages: Readonly<Record<string, number>>) =>
  ({
    account: { name },
    clock: { now: () => NOW },
    store: {
      tests: {
        proxyHours: async (_: string, ids: readonly string[]) =>
          new Map(ids.flatMap((id) => ((ages[id] ?? DAY) < DAY ? [[id, [name]] as const] : []))),
        cells: async (_: string, ids: readonly string[]) =>
          ids.flatMap((proxy) => (proxy in ages ? [{ proxy, at: NOW - (ages[proxy] ?? 0) }] : [])),
      },
    },
  }) as never;

test('probes have the hours of proxies that the testers do not test, and not of those that were not tested for a day', async () => {
  const testers = sourceOf('testers', { tested: HOUR, paused: 2 * DAY, stopped: 40 * DAY });
  const probes = sourceOf('probes', { tested: HOUR, paused: HOUR, stopped: HOUR, probed: HOUR });
  const { hours } = await readProxyHours(
    [testers, probes],
    ['tested', 'paused', 'stopped', 'probed', 'none'],
    NOW,
  );
  expect(Object.fromEntries(hours)).toEqual({
    ...{ tested: ['testers'], stopped: ['probes'], probed: ['probes'] },
  });
});
