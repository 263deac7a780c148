// Keys of another customer: whoever notices first, nobody stores what they bring, until they are right again.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { House } from '../support/house.ts';
import { buildTraffic, netBytes } from './traffic/support.ts';

const resultsOf = async (house: House): Promise<Record<string, string | null>> => {
  const runs = await house.app.store.runs.states('main');
  return Object.fromEntries(runs.map(({ collector, errorKind }) => [collector, errorKind]));
};

/** From now on the keys are another customer's, or no more. */
const sell = ({ simulator }: House): void => {
  simulator.faults.add({ kind: 'set_fields', fields: { customer_id: 815 } });
};
const giveBack = ({ simulator }: House): void => simulator.faults.clear();

const storedBuckets = async ({ app }: House): Promise<number> => {
  const [graph] = await app.store.traffic.graphs('main');
  return graph?.readAt ?? Number.NaN;
};

describe('keys of another customer', () => {
  it('are noticed by traffic alone, whose answers name nobody, when the daemon starts', async () => {
    await using house = await buildTraffic();
    sell(house);
    const readAt = await storedBuckets(house);
    await house.restart();
    await house.advance(10 * MINUTE);
    expect(await resultsOf(house)).toEqual({ traffic: 'auth' });
    expect(await storedBuckets(house)).toBe(readAt);

    giveBack(house);
    await house.advance(MINUTE);
    expect(await resultsOf(house)).toEqual({ traffic: null });
    await house.advance(3 * HOUR);
    expect(await netBytes(house)).toBeGreaterThan(0);
  });

  it('are asked about once for each pair', async () => {
    await using house = await buildTraffic();
    for (const _ of Array(5)) await house.advance(MINUTE);
    const asked = house.simulator.requests.recent.filter(({ endpoint }) => endpoint === 'proxy_user/search');
    expect(asked).toHaveLength(1);
  });

  it('that another collector noticed stop traffic and the ledger too, also over a restart', async () => {
    const everyMinute = { schedule: '* * * * *' };
    await using house = await buildTraffic({
      account: { proxy_users: everyMinute, residential_ledger: { schedule: '0 * * * *' } },
    });
    house.simulator.faults.add({
      kind: 'set_fields',
      endpoint: 'proxy_user',
      fields: { customer_id: 815 },
    });
    await house.advance(MINUTE);
    const readAt = await storedBuckets(house);
    for (const _ of Array(3)) await house.advance(MINUTE);
    expect(await resultsOf(house)).toMatchObject({ traffic: 'auth', proxy_users: 'auth' });
    expect(await storedBuckets(house)).toBe(readAt);
    await house.restart();
    await house.advance(MINUTE);
    expect(await resultsOf(house)).toMatchObject({ traffic: 'auth', proxy_users: 'auth' });
    giveBack(house);
    await house.advance(MINUTE);
    await house.advance(MINUTE);
    expect(await resultsOf(house)).toMatchObject({ traffic: null, proxy_users: null });
    expect(await storedBuckets(house)).toBeGreaterThan(readAt);
  });

  it('do not keep traffic from its work where users cannot be listed', async () => {
    await using house = await buildTraffic();
    house.simulator.faults.add({ kind: 'status', endpoint: 'proxy_user', status: 403 });
    await house.restart();
    await house.advance(MINUTE);
    expect(await resultsOf(house)).toEqual({ traffic: null });
  });
});
