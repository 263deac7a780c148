// Tests the reading of changed rows in drawn lives of an account: providers whose filter works or does not, and whose times of
// update move, stay or come late. The oracle is what the provider lists.

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChangedRows } from '../../src/collectors/usage/changed-rows.ts';
import { usageOptions } from '../../src/collectors/usage/options.ts';
import { newUsageState } from '../../src/collectors/usage/read-day.ts';
import { usage } from '../../src/collectors/usage/usage.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import { dateOf, dayOf } from '../../src/store/log-summary-store.ts';
import { makeFolder, openStore } from '../store/support.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';

const START = Date.parse('2026-07-06T19:20:00.500Z');
const local = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

interface Row {
  readonly id: number;
  readonly date: string;
  readonly user: string;
  readonly hostname: string;
  bytes: number;
  updatedAt: number | null;
}

const rarely = (most: number) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: most }) });

const step = fc.record({
  /** Whether a row grows, by its number modulo 7; and one that falls, or is summarised with others of its user. */
  grows: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }),
  falls: rarely(100),
  merges: rarely(2),
  isYesterday: fc.boolean(),
  /** What happens besides: the provider is down, or the daemon starts again. */
  event: fc.oneof(
    { weight: 18, arbitrary: fc.constant('none') },
    { weight: 2, arbitrary: fc.constantFrom('outage', 'restart') },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const world = fc.record({
  updates: fc.constantFrom('move', 'come late', 'stay', 'some', 'missing'),
  filter: fc.constantFrom('works', 'works', 'works', 'ignored', 'refused', 'breaks', 'empty'),
  merges: fc.constantFrom(false, false, false, true),
  hostnames: fc.constantFrom(1, 2, 3, 36),
  maxPages: fc.constantFrom<number>(5, 500),
  steps: fc.array(step, { minLength: 6, maxLength: 10 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** A provider that lists rows of three users. */
class Provider {
  rows: Row[] = [];
  isDown = false;
  /** Requests with the filter that broke. */
  failed = 0;
  /** The listings that were begun. */
  readonly requests: string[] = [];
  readonly #world: World;
  readonly #clock: FakeClock;
  #ids = 0;

  constructor(of: World, clock: FakeClock) {
    [this.#world, this.#clock] = [of, clock];
  }

  /** Returns the time of update of a change. */
  #stamp(row: Row): number | null {
    const now = this.#clock.now();
    const { updates } = this.#world;
    if (updates === 'missing') return null;
    if (updates === 'stay' || (updates === 'some' && row.id % 5 === 0)) return row.updatedAt;
    return updates === 'come late' && row.id % 2 === 0 ? now - 100 * MINUTE : now - MINUTE;
  }

  add(date: string, user: string, hostname: string, bytes: number): void {
    const row = {
      ...{ id: ++this.#ids, date, user, hostname, bytes },
      updatedAt: this.#clock.now() - MINUTE,
    };
    this.rows.push({ ...row, updatedAt: this.#world.updates === 'missing' ? null : row.updatedAt });
  }

  live({ grows, falls, merges, isYesterday }: Step): void {
    const today = dateOf(dayOf(local(this.#clock.now()).slice(0, 10)));
    if (!this.rows.some(({ date }) => date === today))
      for (const user of ['u0', 'u1', 'u2'])
        for (let host = 0; host < this.#world.hostnames; host += 1)
          this.add(today, user, `h${host}.example.com`, 1_000 + host);
    this.add(today, 'u0', `n${this.#ids}.example.com`, 5);
    const date = isYesterday ? (this.rows[0]?.date ?? today) : today;
    const day = this.rows.filter((row) => row.date === date);
    const set = (row: Row | undefined, bytes: number): void => {
      if (row) Object.assign(row, { bytes, updatedAt: this.#stamp(row) });
    };
    for (const row of day) if (grows.includes(row.id % 7)) set(row, row.bytes + 100 + row.id);
    const fallen = falls === null ? undefined : day[falls];
    set(fallen, Math.floor((fallen?.bytes ?? 0) / 2));
    if (this.#world.merges && merges !== null) this.#merge(date, `u${merges}`);
  }

  #merge(date: string, user: string): void {
    const isMerged = (row: Row) => row.date === date && row.user === user && row.id % 2 === 0;
    const merged = this.rows.filter((row) => isMerged(row) && !row.hostname.startsWith('*'));
    if (merged.length < 2) return;
    this.rows = this.rows.filter((row) => !merged.includes(row));
    const wide = this.rows.find(
      (row) => row.date === date && row.user === user && row.hostname === '*.example.com',
    );
    const bytes = merged.reduce((sum, row) => sum + row.bytes, 0);
    if (wide) Object.assign(wide, { bytes: wide.bytes + bytes, updatedAt: this.#stamp(wide) });
    else this.add(date, user, '*.example.com', bytes);
  }

  #listed(query: Readonly<Record<string, unknown>>): readonly Row[] {
    const date = String(query.min_log_summary_period).slice(0, 10);
    const since = query.min_log_summary_last_update_datetime;
    const isBroken = since !== undefined && this.#world.filter === 'breaks';
    this.failed += Number(isBroken);
    if (this.isDown || isBroken)
      throw new ProviderError('network', 'log_summary/search', 'no answer in time');
    const day = this.rows.filter((row) => row.date === date);
    if (query.page === 1) this.requests.push(`${date}${since === undefined ? '' : ' changed'}`);
    if (since === undefined || this.#world.filter === 'ignored') return day;
    if (this.#world.filter === 'refused')
      throw new ProviderError('rejected', 'log_summary/search', 'unknown filter', { status: 400 });
    return this.#world.filter === 'empty'
      ? []
      : day.filter(({ updatedAt }) => updatedAt !== null && local(updatedAt) >= String(since));
  }

  readonly get = async (endpoint: string, { query = {}, schema }: { query?: object; schema?: unknown }) => {
    const rows = endpoint === 'log_summary/search' ? this.#listed(query as never) : [];
    const first = 100 * (Number((query as { page?: number }).page ?? 1) - 1);
    const data = rows.slice(first, first + 100).map((row) => ({
      ...{ log_summary_id: row.id, log_summary_period: `${row.date} 00:00:00`, proxy_user_id: row.user },
      ...{ log_summary_network: 'isp', log_summary_hostname: row.hostname, log_summary_bytes: row.bytes },
      ...{ log_summary_charged_bytes: row.bytes, log_summary_requests: 1, log_summary_charged_requests: 1 },
      log_summary_last_update_datetime: row.updatedAt === null ? null : local(row.updatedAt),
    }));
    return (schema as { parse: (value: unknown) => unknown }).parse({ data, total_count: rows.length });
  };
}

const live = async (of: World) => {
  const [clock, store] = [new FakeClock(START), openStore(join(makeFolder(), 'store.db'))];
  let state = newUsageState();
  const provider = new Provider(of, clock);
  const context = {
    ...{ account: { name: 'main', time_zone: 'UTC' }, clock, store, progress: () => {} },
    options: usageOptions.parse({ max_pages: of.maxPages, history_days: 2 }),
    ...{ signal: new AbortController().signal, client: { get: provider.get, root: {}, keysVersion: 1 } },
  };
  /** Runs until no day is half read, but not for ever: two days can take turns. Meanwhile, rows grow as in the step. */
  const read = async (meanwhile?: Step): Promise<void> => {
    await usage.collect(context as never, state).catch((error) => {
      if (!provider.isDown) throw error;
    });
    for (let run = 0; run < 4 && state.reading && !provider.isDown; run += 1) {
      clock.advance(30 * MINUTE);
      if (meanwhile) provider.live({ ...meanwhile, falls: null, merges: null });
      await usage.collect(context as never, state);
    }
  };
  const restart = (): void => {
    state = newUsageState();
  };
  const stored = async (by: 'day' | 'hostname' = 'day'): Promise<Record<string, number>> => {
    const { sums } = await store.logSummaries.sums('main', {
      from: 0,
      to: clock.now(),
      by,
      limit: 100,
    });
    return Object.fromEntries(
      sums.map(({ key, values }) => [by === 'day' ? dateOf(Number(key)) : key, values[2] ?? Number.NaN]),
    );
  };
  const listed = (): Record<string, number> =>
    Object.fromEntries(
      [...Map.groupBy(provider.rows, ({ date }) => date)].map(([date, rows]) => [
        date,
        rows.reduce((sum, { bytes }) => sum + bytes, 0),
      ]),
    );
  const isReading = (): boolean => state.reading !== undefined;
  return {
    clock,
    provider,
    read,
    isReading,
    restart,
    stored,
    listed,
    [Symbol.dispose]: () => store[Symbol.dispose](),
  };
};

it(
  'the use is what the provider lists, at once if the filter finds what changed, and otherwise after all rows were read',
  async () => {
    await fc.assert(
      fc.asyncProperty(world, async (of) => {
        using life = await live(of);
        const { clock, provider, read, isReading, restart, stored, listed } = life;
        // If only some updates have a new time, others are found when all rows are read.
        const isFound = of.filter !== 'works' || of.updates !== 'some';
        for (const each of of.steps) {
          provider.live(each);
          provider.isDown = each.event === 'outage';
          if (each.event === 'restart') restart();
          await read(each);
          // What changed while a day was half read is found by the next reading.
          await read();
          if (isFound && !of.merges && !provider.isDown && !isReading())
            expect(await stored()).toEqual(listed());
          clock.advance(HOUR);
        }
        provider.isDown = false;
        for (let run = 0; run < 5; run += 1) {
          clock.advance(7 * HOUR);
          await read();
        }
        expect(await stored()).toEqual(listed());
      }),
      cases(40),
    );
  },
  FUZZ_TIMEOUT,
);

it.each(['move', 'come late'] as const)(
  'if updates %s, changed rows are read, and all rows four times a day and after the end of the day',
  async (updates) => {
    const quiet: Step = { grows: [1, 2], falls: null, merges: null, isYesterday: false, event: 'none' };
    const of: World = { updates, filter: 'works', merges: false, hostnames: 36, maxPages: 500, steps: [] };
    using life = await live(of);
    const { clock, provider, read } = life;
    for (let run = 0; run < 31; run += 1) {
      provider.live(quiet);
      await read();
      clock.advance(HOUR);
    }
    const ofToday = provider.requests.filter((each) => each.startsWith('2026-07-07'));
    const [known, next] = ['2026-07-07', '2026-07-07 changed'];
    const quarter = [known, ...Array.from({ length: 5 }, () => next)];
    // The first reading of a day proves nothing, and the day ends five hours after the newest reading of all rows.
    expect(ofToday).toEqual([known, ...quarter, ...quarter, ...quarter, ...quarter.slice(0, 5), known, next]);
  },
);

it('a row that fell has all rows read, because its bytes may have moved to a wider name whose time of update is old', async () => {
  const none: Step = { grows: [], falls: null, merges: null, isYesterday: false, event: 'none' };
  using life = await live({
    updates: 'move',
    filter: 'works',
    merges: false,
    hostnames: 2,
    maxPages: 500,
    steps: [],
  });
  const { clock, provider, read, stored } = life;
  for (let run = 0; run < 3; run += 1) {
    provider.live({ ...none, grows: [1, 2] });
    await read();
    clock.advance(HOUR);
  }
  const before = await stored('hostname');
  const row = provider.rows.find(({ user, hostname }) => user === 'u0' && hostname === 'h0.example.com');
  provider.add(row?.date ?? '', 'u0', '*.example.com', row?.bytes ?? 0);
  Object.assign(provider.rows.at(-1) ?? {}, { updatedAt: START - DAY });
  Object.assign(row ?? {}, { bytes: 10, updatedAt: clock.now() });
  provider.requests.length = 0;
  await read();
  expect(provider.requests.slice(0, 2)).toEqual(['2026-07-06 changed', '2026-07-06']);
  const after = await stored('hostname');
  expect(after['h0.example.com']).toBe((before['h0.example.com'] ?? 0) + 10);
  expect(after['*.example.com']).toBe(0);
});

it('changes are those since a reading began, all rows are read six hours after it ended, and a clock that was set back is noticed', () => {
  const changes = new ChangedRows();
  const [day, end] = [dayOf('2026-07-06'), dayOf('2026-07-07')];
  const newest = { id: 'a', updatedAt: START + 4 * HOUR };
  const read = (startedAt: number, now: number, proofs: number, leftOut = 0) =>
    changes.recordReading(day, { startedAt, now, newest, evidence: { proofs, leftOut } });
  read(START, START, 0);
  expect(changes.areEnough(day, START, end)).toBe(false);
  read(START, START + 4 * HOUR, 1);
  expect(changes.filterOf(day)?.since).toBe(Date.parse('2026-07-06T18:20:00Z'));
  const areEnough = (hours: number) => changes.areEnough(day, START + hours * HOUR, START + 20 * HOUR);
  expect([3, 4, 9, 10].map(areEnough)).toEqual([false, true, true, false]);
  read(START, START + 4 * HOUR, 5, 1);
  expect(areEnough(4)).toBe(false);
});

it('a filter that fails is left alone for a day, even if reading all rows takes several runs', async () => {
  const of: World = {
    updates: 'move',
    filter: 'breaks',
    merges: false,
    hostnames: 36,
    maxPages: 2,
    steps: [],
  };
  using life = await live(of);
  const { clock, provider, read } = life;
  for (let run = 0; run < 12; run += 1) {
    provider.live({ grows: [1], falls: null, merges: null, isYesterday: false, event: 'none' });
    await read();
    clock.advance(20 * MINUTE);
  }
  expect(provider.failed).toBe(1);
});
