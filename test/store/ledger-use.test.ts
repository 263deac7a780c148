// Tests what of a ledger decides about the cost of its bytes: the newest purchase, use by date, and the first date.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LedgerRow } from '../../src/store/ledger-store.ts';
import { makeFolder, openStore, START } from './support.ts';

let ids = 0;
const rowOf = (
  reason: string,
  periodDate: string,
  bytes: number,
  createdAt: number | null = null,
): LedgerRow => {
  ids += 1;
  const isUse = reason === 'usage';
  return {
    ...{ id: `row-${ids}`, reason, periodDate, createdAt, bytes, serviceId: null, periodEnd: null },
    ...{ addedBytes: isUse ? 0 : bytes, usedBytes: isUse ? bytes : 0, requests: null },
    ...{ adjustmentId: null, updatedAt: null },
  };
};

it('the newest purchase is the one of the newest date that was created last, and other rows are none', async () => {
  using store = openStore(join(makeFolder(), 'state.db'));
  const ledger = store.ledgers.mobile;
  const newest = () => ledger.newestAdded('main', ['top_up', 'service_purchase']);
  expect(await newest()).toBeUndefined();
  expect(await ledger.firstDate('main')).toBeNull();
  const rows = [
    rowOf('usage', '2026-07-09', 7),
    rowOf('adjustment', '2026-07-09', 5),
    rowOf('top_up', '2026-07-08', 20, START + 2),
    rowOf('service_purchase', '2026-07-08', 30, START + 3),
    rowOf('top_up', '2026-07-08', 10, START + 1),
    rowOf('top_up', '2026-07-01', 90, START + 9),
    rowOf('usage', '2026-07-09', 4),
    rowOf('usage', '2026-07-02', 3),
  ];
  await ledger.savePage('main', rows, START);
  expect(await newest()).toBe(30);
  expect(await ledger.firstDate('main')).toBe('2026-07-01');
  expect(Object.fromEntries(await ledger.usedByDate('main', ['usage'], '2026-07-03'))).toEqual({
    '2026-07-09': 11,
  });
});
