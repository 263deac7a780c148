// Tests the counters of changes with random sequences of added, removed and replaced proxies, failed listings and
// restarts: the counters equal the changes between the complete listings.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import type { InventoryProxy } from '../../../src/simulator/resources/proxies.ts';
import type { Harness } from '../../support/harness.ts';
import { buildInventory, changeCounts, changeEvents, ENDPOINT, NO_CHANGES } from './inventory-harness.ts';

const PROXIES = 6;

/** The changes of the account's proxies for an hour, whether that hour's listing fails, and whether a restart follows. */
const hour = fc.record({
  changes: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('proxy'), subject: fc.nat(PROXIES - 1), absent: fc.constant(true) }),
      fc.record({
        kind: fc.constant('proxy'),
        subject: fc.nat(PROXIES - 1),
        set: fc.record(
          {
            proxy_ip_address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
            asn_id: fc.constantFrom(64_800, 64_801),
            city_id: fc.constantFrom(200, 201, 202),
            proxy_status: fc.constantFrom('in_use', 'waiting'),
          },
          { requiredKeys: [] },
        ),
      }),
    ),
    { maxLength: 5 },
  ),
  fails: fc.boolean(),
  restarts: fc.boolean(),
});

type Rows = ReadonlyMap<string, InventoryProxy>;

/** A second, short implementation of the rules, which counts the changes between complete listings. */
class ExpectedChanges {
  readonly counts: Record<string, number> = { ...NO_CHANGES };
  readonly #known = new Map<string, { row: InventoryProxy; missed: number }>();
  #isFirst = true;

  addListing(rows: Rows): void {
    for (const [id, row] of rows) this.#addRow(id, row);
    for (const [id, entry] of this.#known) {
      entry.missed = rows.has(id) ? 0 : entry.missed + 1;
      if (entry.missed < 2) continue;
      this.#known.delete(id);
      this.#count('gone');
    }
    this.#isFirst = false;
  }

  #addRow(id: string, row: InventoryProxy): void {
    const before = this.#known.get(id)?.row;
    if (!before) this.#count('appeared');
    else {
      if (before.proxy_ip_address !== row.proxy_ip_address) this.#count('address');
      if (before.asn_id !== row.asn_id) this.#count('asn');
      if (before.city_id !== row.city_id) this.#count('city');
    }
    this.#known.set(id, { row, missed: 0 });
  }

  #count(change: string): void {
    if (!this.#isFirst) this.counts[change] = (this.counts[change] ?? 0) + 1;
  }
}

const rowsOf = ({ simulator }: Harness): Rows =>
  new Map(simulator.truth.proxies().map((row) => [row.proxy_id, row]));

test('the counters equal the changes that happened', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hour, { minLength: 1, maxLength: 12 }), async (hours) => {
      await using harness = await buildInventory({ scenario: { proxies: PROXIES }, firstStepHold: '0s' });
      const expected = new ExpectedChanges();
      expected.addListing(rowsOf(harness));
      for (const { changes, fails, restarts } of hours) {
        harness.simulator.changes.replace(changes);
        harness.simulator.faults.replace(fails ? [{ kind: 'malformed_json', endpoint: ENDPOINT }] : []);
        await harness.advance(HOUR);
        if (!fails) expected.addListing(rowsOf(harness));
        if (restarts) await harness.restart();
      }
      expect(await changeCounts(harness)).toEqual(expected.counts);
      const events = Map.groupBy(await changeEvents(harness), ({ change }) => change);
      for (const [change, count] of Object.entries(expected.counts))
        expect([change, events.get(change as never)?.length ?? 0]).toEqual([change, count]);
    }),
    { numRuns: 12 },
  );
}, 60_000);
