// Tests that an outage of the provider is one alert from its first minute to its last, and that a collector that fails
// alone is reported all the same.

import { describe, expect, it } from 'vitest';
import { isFiring } from '../../src/alerts/state.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { Harness } from '../support/harness.ts';

const EVERY_MINUTE = { schedule: '* * * * *' };
const EVERY_5_MINUTES = { schedule: '*/5 * * * *' };
const NOBODY_ANSWERS = { kind: 'status', status: 503 } as const;
const GRAPHS_FAIL = { ...NOBODY_ANSWERS, endpoint: 'analytics/graph' } as const;

const build = (alerts: Record<string, unknown> = {}): Promise<Harness> =>
  Harness.build({
    now: '2026-07-06T12:01:30Z',
    scenario: { start: '2026-07-06T00:00:00Z', users: 5 },
    account: {
      traffic: { ...EVERY_MINUTE, graphs: [], catch_up: '1h' },
      proxy_users: EVERY_5_MINUTES,
      residential_ledger: false,
      reconciliation: false,
    },
    alerts: { evaluate: true, ...alerts },
  });

const firingIn = ({ app }: Harness): string[] =>
  [...app.alerting.active]
    .filter(isFiring)
    .map(({ alert, labels }) => [alert, ...Object.values(labels)].join(' '))
    .toSorted();

/** Returns which alerts fire at the end of each of the next minutes. */
const live = async (harness: Harness, minutes: number): Promise<string[][]> => {
  const firing: string[][] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    // The alerts are evaluated every 15 s, and here after the runs of the minute.
    await harness.advance(MINUTE - 20 * SECOND);
    await harness.advance(20 * SECOND);
    firing.push(firingIn(harness));
  }
  return firing;
};

const TRAFFIC_FAILS = 'CollectorFailing traffic';
const UNREACHABLE = 'ProviderUnreachable';

describe('an outage', () => {
  it('fires no other alert than ProviderUnreachable, even before that one and after a restart', async () => {
    const later = { ProviderUnreachable: { threshold: '40m' }, CollectorFailing: { for: '1m' } };
    await using harness = await build(later);
    harness.simulator.faults.add(NOBODY_ANSWERS);
    const before = await live(harness, 20);
    await harness.restart();
    expect([...before, ...(await live(harness, 18))].flat()).toEqual([]);
    expect((await live(harness, 5)).at(-1)).toEqual([UNREACHABLE]);
    harness.simulator.faults.clear();
    expect((await live(harness, 10)).flat()).toEqual([]);
  });

  it('ends the alert about a collector that failed before it, once ProviderUnreachable fires', async () => {
    await using harness = await build();
    harness.simulator.faults.add(GRAPHS_FAIL);
    expect((await live(harness, 16)).at(-1)).toEqual([TRAFFIC_FAILS]);
    harness.simulator.faults.replace([NOBODY_ANSWERS]);
    const firing = await live(harness, 20);
    expect(new Set(firing.map(String))).toEqual(new Set([TRAFFIC_FAILS, UNREACHABLE]));
  });

  it('does not suppress anything if ProviderUnreachable is off', async () => {
    await using harness = await build({ ProviderUnreachable: { enabled: false } });
    harness.simulator.faults.add(NOBODY_ANSWERS);
    expect((await live(harness, 20)).at(-1)).toEqual(['CollectorFailing proxy_users', TRAFFIC_FAILS]);
  });
});

it('a collector that fails alone is reported, although its requests are the newest most of the time', async () => {
  await using harness = await build();
  harness.simulator.faults.add(GRAPHS_FAIL);
  const firing = await live(harness, 60);
  const [first] = firing.flatMap((names, minute) => (names.length > 0 ? [minute] : []));
  // The provider answers the other collector within five minutes, and then the hold begins.
  expect(first).toBeLessThanOrEqual(15);
  expect(firing.slice(first)).toEqual(firing.slice(first).map(() => [TRAFFIC_FAILS]));
});
