// Keys of another customer: whoever notices first, nobody stores what they bring, until they are right again.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { Harness } from '../support/harness.ts';
import { buildTraffic, netBytes } from './traffic/support.ts';

const resultsOf = async (harness: Harness): Promise<Record<string, string | null>> => {
  const runs = await harness.app.store.runs.states('main');
  return Object.fromEntries(runs.map(({ collector, errorKind }) => [collector, errorKind]));
};

/** From now on the keys are another customer's, or no more. */
const sell = ({ simulator }: Harness): void => {
  simulator.faults.add({ kind: 'set_fields', fields: { customer_id: 815 } });
};
const giveBack = ({ simulator }: Harness): void => simulator.faults.clear();

const storedBuckets = async ({ app }: Harness): Promise<number> => {
  const [graph] = await app.store.traffic.graphs('main');
  return graph?.readAt ?? Number.NaN;
};

describe('keys of another customer', () => {
  it('are noticed by traffic alone, whose answers name nobody, when the daemon starts', async () => {
    await using harness = await buildTraffic();
    sell(harness);
    const readAt = await storedBuckets(harness);
    await harness.restart();
    await harness.advance(10 * MINUTE);
    expect(await resultsOf(harness)).toEqual({ traffic: 'auth' });
    expect(await storedBuckets(harness)).toBe(readAt);

    giveBack(harness);
    await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toEqual({ traffic: null });
    await harness.advance(3 * HOUR);
    expect(await netBytes(harness)).toBeGreaterThan(0);
  });

  it('are asked about once for each pair', async () => {
    await using harness = await buildTraffic();
    for (const _ of Array(5)) await harness.advance(MINUTE);
    const asked = harness.simulator.requests.recent.filter(
      ({ endpoint }) => endpoint === 'proxy_user/search',
    );
    expect(asked).toHaveLength(1);
  });

  it('that another collector noticed stop traffic and the ledger too, also over a restart', async () => {
    const everyMinute = { schedule: '* * * * *' };
    await using harness = await buildTraffic({
      account: { proxy_users: everyMinute, residential_ledger: { schedule: '0 * * * *' } },
    });
    harness.simulator.faults.add({
      kind: 'set_fields',
      endpoint: 'proxy_user',
      fields: { customer_id: 815 },
    });
    await harness.advance(MINUTE);
    const readAt = await storedBuckets(harness);
    for (const _ of Array(3)) await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toMatchObject({ traffic: 'auth', proxy_users: 'auth' });
    expect(await storedBuckets(harness)).toBe(readAt);
    await harness.restart();
    await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toMatchObject({ traffic: 'auth', proxy_users: 'auth' });
    giveBack(harness);
    await harness.advance(MINUTE);
    await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toMatchObject({ traffic: null, proxy_users: null });
    expect(await storedBuckets(harness)).toBeGreaterThan(readAt);
  });

  it('do not keep traffic from its work where users cannot be listed', async () => {
    await using harness = await buildTraffic();
    harness.simulator.faults.add({ kind: 'status', endpoint: 'proxy_user', status: 403 });
    await harness.restart();
    await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toEqual({ traffic: null });
  });
});
