// Tests that the history of users and of the ledger is the same in one range as in several that follow one another.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReadContext } from '../../src/collectors/context.ts';
import type { HistorySource } from '../../src/collectors/history-source.ts';
import { residentialLedger } from '../../src/collectors/ledger/ledger.ts';
import { proxyUsers } from '../../src/collectors/proxy-users/proxy-users.ts';
import { exportedHistory } from '../../src/collectors/published-history.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { LedgerRow } from '../../src/store/ledger-store.ts';
import type { Store } from '../../src/store/store.ts';
import { makeFolder, observationOf, openStore } from '../store/support.ts';

/** A day before the clocks of all zones below but UTC have changed. */
const BEGIN = Date.parse('2026-03-05T00:00:00Z');
const DAYS = 30;
const END = BEGIN + DAYS * DAY;
const ZONES = ['UTC', 'Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Pacific/Kiritimati'];

const sourceOf = ([source]: readonly HistorySource<never>[] = []): HistorySource => {
  if (!source) throw new Error('the collector has no history');
  return source as HistorySource;
};
const LEDGER = sourceOf(residentialLedger.history);
const USERS = sourceOf(proxyUsers.history);

const contextOf = (store: Store, zone: string): ReadContext<unknown> => ({
  account: { name: 'main', time_zone: zone } as ReadContext<unknown>['account'],
  ...{ options: {}, store, clock: { ...systemClock, now: () => END + 2 * DAY } },
});

/** All samples of the ranges between the cuts, by family, labels and time. Fails if a sample comes twice. */
const samplesOf = async (
  source: HistorySource,
  context: ReadContext<unknown>,
  cuts: readonly number[],
): Promise<Map<string, number>> => {
  const samples = new Map<string, number>();
  const times = [BEGIN - 3 * DAY, ...cuts.toSorted((a, b) => a - b), END + 3 * DAY];
  for (const [index, to] of times.entries())
    for (const family of source.families.keys())
      for await (const { labels, at, value } of exportedHistory(source, family, context, {
        from: times[index - 1] ?? to,
        to,
      })) {
        const key = JSON.stringify([family, labels, at]);
        expect(samples.has(key), key).toBe(false);
        samples.set(key, value);
      }
  return samples;
};

/** The sum of the samples of a family. */
const sumOf = (samples: ReadonlyMap<string, number>, family: number): number =>
  [...samples].reduce((sum, [key, value]) => (JSON.parse(key)[0] === family ? sum + value : sum), 0);

const instant = fc.integer({ min: BEGIN / SECOND, max: END / SECOND }).map((seconds) => seconds * SECOND);
const cuts = fc.array(
  instant.map((at) => at + (at % 7)),
  { maxLength: 6 },
);
const zone = fc.constantFrom(...ZONES);

const ledgerRow = fc.record({
  id: fc.nat(12),
  reason: fc.constantFrom('usage', 'top_up'),
  day: fc.nat(DAYS - 1),
  bytes: fc.integer({ min: 1, max: 1_000 }),
});

const rowOf = ({ id, reason, day, bytes }: { id: number; reason: string; day: number; bytes: number }) => {
  const at = BEGIN + day * DAY;
  const [addedBytes, usedBytes] = reason === 'usage' ? [0, bytes] : [bytes, 0];
  const periodDate = new Date(at).toISOString().slice(0, 10);
  return {
    ...{
      id: `row-${id}`,
      reason,
      serviceId: null,
      periodDate,
      periodEnd: at + DAY,
      bytes,
      addedBytes,
      usedBytes,
    },
    ...{ requests: 1, adjustmentId: null, createdAt: at, updatedAt: at },
  } satisfies LedgerRow;
};

const ledgerStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ save: ledgerRow }) },
  { weight: 1, arbitrary: fc.record({ publish: fc.nat(DAYS) }) },
);

it('the ledger has each day once, also if published rows changed their dates and reasons', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ledgerStep, { maxLength: 25 }), cuts, zone, async (steps, at, timeZone) => {
      using store = openStore(`${makeFolder()}/store.db`);
      await store.ledgers.residential.open('main', ['usage', 'top_up'], BEGIN);
      const current = new Map<string, LedgerRow>();
      for (const step of steps) {
        if ('publish' in step) {
          for (const subject of ['usage', 'top_up'])
            await store.publications.publish(
              { account: 'main', source: 'ledger', subject },
              BEGIN + step.publish * DAY,
            );
          continue;
        }
        const row = rowOf(step.save);
        current.set(row.id, row);
        await store.ledgers.residential.savePage('main', [row], END, END);
      }
      const context = contextOf(store, timeZone);
      const whole = await samplesOf(LEDGER, context, []);
      expect(await samplesOf(LEDGER, context, at)).toEqual(whole);
      const rows = [...current.values()];
      for (const [index, name] of (['addedBytes', 'usedBytes', 'requests'] as const).entries())
        expect(sumOf(whole, index), name).toBe(rows.reduce((sum, row) => sum + (row[name] ?? 0), 0));
    }),
    { numRuns: 60 },
  );
});

it('a range of time has the days of the ledger that begin in it, whatever the clocks of the zone do', () => {
  fc.assert(
    fc.property(instant, zone, (time, timeZone) => {
      const context = contextOf({} as Store, timeZone);
      const row = LEDGER.rowTimeOf?.(context, time) ?? Number.NaN;
      expect(LEDGER.timeOf?.(context, row)).toBeGreaterThanOrEqual(time);
      expect(LEDGER.timeOf?.(context, row - DAY)).toBeLessThan(time);
    }),
    { numRuns: 1_000 },
  );
});

const listing = fc.record({
  afterMs: fc.oneof(
    fc.integer({ min: SECOND, max: 10 * MINUTE }),
    fc.integer({ min: 30 * MINUTE, max: 3 * HOUR }),
    fc.integer({ min: 3 * HOUR, max: 2 * DAY }),
  ),
  residential: fc.nat(1_000),
  mobile: fc.nat(1_000),
  /** A listing that is not counted is continued by the next run. */
  isCounted: fc.boolean(),
  isMaintained: fc.boolean(),
});

it('the use of users has each period once, also if listings took several runs and were rolled up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(listing, { maxLength: 25 }), cuts, zone, async (listings, at, timeZone) => {
      using store = openStore(`${makeFolder()}/store.db`);
      const { signal } = new AbortController();
      const accounts = [{ name: 'main', zone: timeZone, graphs: [], areUsersPolled: true }];
      const used = { residential: 0, mobile: 0 };
      const list = (now: number) =>
        store.users.savePage('main', [observation(used)], now, now, { listingStartedAt: now });
      await list(BEGIN);
      await store.users.completeListing('main', new Set(['user']), BEGIN, BEGIN);
      let now = BEGIN;
      for (const { afterMs, residential, mobile, isCounted, isMaintained } of listings) {
        now += afterMs;
        if (now >= END) break;
        used.residential += residential;
        used.mobile += mobile;
        await list(now);
        if (isCounted) await store.users.countListing('main', now, now);
        const retention = { rawMs: 2 * DAY, hourlyMs: 5 * DAY, dailyMs: 400 * DAY };
        if (isMaintained) await store.maintain({ now, retention, accounts, signal });
      }
      const context = contextOf(store, timeZone);
      const whole = await samplesOf(USERS, context, []);
      expect(await samplesOf(USERS, context, at)).toEqual(whole);
      expect(sumOf(whole, 0)).toBe(used.residential + used.mobile);
    }),
    { numRuns: 60 },
  );
});

const observation = ({ residential, mobile }: { readonly residential: number; readonly mobile: number }) =>
  observationOf('user', {
    residential: { limitBytes: null, usedBytes: residential },
    mobile: { limitBytes: null, usedBytes: mobile },
  });
