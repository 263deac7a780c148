// Tests keys of another customer: once one collector notices them, no collector stores data until the keys are right again.

import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { Harness } from '../support/harness.ts';
import { poll, residentialUserRow, StubAccount } from './stub-account.ts';
import { buildTraffic, netBytes } from './traffic/support.ts';

const resultsOf = async (harness: Harness): Promise<Record<string, string | null>> => {
  const runs = await harness.app.store.runs.states('main');
  return Object.fromEntries(runs.map(({ collector, errorKind }) => [collector, errorKind]));
};

/** Makes the keys belong to another customer. */
const switchCustomer = ({ simulator }: Harness): void => {
  simulator.faults.add({ kind: 'set_fields', fields: { customer_id: 815 } });
};
const restoreCustomer = ({ simulator }: Harness): void => simulator.faults.clear();

const lastReadAt = async ({ app }: Harness): Promise<number> => {
  const [graph] = await app.store.traffic.graphs('main');
  return graph?.readAt ?? Number.NaN;
};

describe('keys of another customer', () => {
  it('are noticed at the start by traffic alone, although its answers name no customer', async () => {
    await using harness = await buildTraffic();
    switchCustomer(harness);
    const readAt = await lastReadAt(harness);
    await harness.restart();
    await harness.advance(10 * MINUTE);
    expect(await resultsOf(harness)).toEqual({ traffic: 'auth' });
    expect(await lastReadAt(harness)).toBe(readAt);

    restoreCustomer(harness);
    await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toEqual({ traffic: null });
    await harness.advance(3 * HOUR);
    expect(await netBytes(harness)).toBeGreaterThan(0);
  });

  it('have their customer requested once for each pair of keys', async () => {
    await using harness = await buildTraffic();
    for (const _ of Array(5)) await harness.advance(MINUTE);
    const customerRequests = harness.simulator.requests.recent.filter(
      ({ endpoint }) => endpoint === 'proxy_user/search',
    );
    expect(customerRequests).toHaveLength(1);
  });

  it('that another collector noticed stop traffic and the ledger too, even after a restart', async () => {
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
    const readAt = await lastReadAt(harness);
    for (const _ of Array(3)) await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toMatchObject({ traffic: 'auth', proxy_users: 'auth' });
    expect(await lastReadAt(harness)).toBe(readAt);
    await harness.restart();
    await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toMatchObject({ traffic: 'auth', proxy_users: 'auth' });
    restoreCustomer(harness);
    await harness.advance(MINUTE);
    await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toMatchObject({ traffic: null, proxy_users: null });
    expect(await lastReadAt(harness)).toBeGreaterThan(readAt);
  });

  it('do not stop traffic if users cannot be listed', async () => {
    await using harness = await buildTraffic();
    harness.simulator.faults.add({ kind: 'status', endpoint: 'proxy_user', status: 403 });
    await harness.restart();
    await harness.advance(MINUTE);
    expect(await resultsOf(harness)).toEqual({ traffic: null });
  });

  it('stay a conflict while an answer names both customers, whichever comes first', async () => {
    for (const order of [
      [815, 4711],
      [4711, 815],
    ]) {
      await using account = await StubAccount.start();
      account.users = [residentialUserRow('a', 100, 10)];
      await using harness = await account.buildHarness('proxy_users');
      account.users = order.map((customer_id, index) =>
        residentialUserRow(`user-${index}`, 100, 20, { customer_id }),
      );
      for (const _ of [1, 2]) {
        await poll(harness);
        expect(await resultsOf(harness)).toEqual({ proxy_users: 'auth' });
      }
    }
  });
});
