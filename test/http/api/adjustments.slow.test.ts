// Tests the API's adjustments, page by page, and that the simulator's replacements are the reasons of changes of the inventory.

import { expect, it } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { ApiHarness, type Json } from './api-harness.ts';

const OFF = Object.fromEntries(
  ['proxy_tests', 'catalog', 'quotes', 'geography', 'services', 'probes', 'reconciliation', 'usage'].map(
    (name) => [name, false],
  ),
);

it('adjustments come page by page, newest first, and explain the changes of the inventory', async () => {
  await using api = await ApiHarness.build({}, OFF);
  const { harness } = api;
  await harness.advance(HOUR);
  const from = new Date(harness.clock.now() + HOUR / 2).toISOString();
  harness.simulator.changes.add({ kind: 'proxy', subject: 6, from, set: { proxy_ip_address: '192.0.2.66' } });
  for (let hour = 0; hour < 2; hour += 1) await harness.advance(HOUR);

  const all = await api.items('adjustments?limit=1000');
  const truth = harness.simulator.truth.adjustments();
  expect(all.map(({ adjustment_id: id }) => id)).toEqual(truth.map(({ id }) => String(id)));
  const paged: Json[] = [];
  for (let cursor: unknown = ''; cursor !== null; ) {
    const page = await api.answer(`adjustments?limit=7${cursor ? `&cursor=${cursor}` : ''}`);
    paged.push(...(page.data as Json[]));
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(all);
  const [first] = all;
  const ofService = await api.items(`adjustments?limit=1000&service_id=${first?.service_id}`);
  expect(ofService).toEqual(all.filter(({ service_id: id }) => id === first?.service_id));

  const reason = truth.find(({ replaced }) => replaced?.after.proxy_ip_address === '192.0.2.66')?.replaced
    ?.reason;
  expect(reason).toBeDefined();
  const [change] = await api.items('inventory/changes?change=address');
  expect(change).toMatchObject({ after: '192.0.2.66', reason });
  const events = await api.items('accounts/main/events');
  expect(events.filter(({ kind }) => kind === 'proxy_address')).toMatchObject([{ count: 1, reason }]);
  expect(events.filter(({ type }) => type === 'proxy_replacement')).toMatchObject([
    { kind: 'adjustment', status: 'complete', by: 'administrator', service_id: expect.any(String), reason },
  ]);
  expect(await api.answer('accounts/main/events?subject=proxy_user_id%3Dbob')).toMatchObject({
    adjustments_known_since: null,
  });
});
