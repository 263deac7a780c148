// Tests the ledger's counters and balances while rows are added, change, and cannot be read.

import { describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { DAY, HOUR, SECOND } from '../../src/lib/time.ts';
import { Harness } from '../support/harness.ts';
import { lastRun, ledgerRow, poll, START, StubAccount } from './stub-account.ts';

const ADDED = 'proxywatch_residential_ledger_added_bytes_total';
const USED = 'proxywatch_residential_ledger_used_bytes_total';
const WITHHELD = 'proxywatch_residential_ledger_withheld_bytes';
const ENTRIES = 'proxywatch_residential_ledger_entries';
const BALANCE = 'proxywatch_residential_balance_bytes';
/** The bytes that the simulated account buys at a time. */
const TOP_UP = 100_000_000_000;
const SERVICE_BALANCE = 'proxywatch_residential_service_balance_bytes';

describe('against the simulated account', () => {
  const build = (ledger: Record<string, unknown>, options: Record<string, unknown> = {}): Promise<Harness> =>
    Harness.build({
      now: START,
      scenario: {
        start: '2026-07-03T00:00:00Z',
        ledger: { top_up_every_days: 2, ...ledger },
        traffic: { late: { ratio: 0 }, revised: { ratio: 0 } },
      },
      account: {
        traffic: false,
        proxy_users: false,
        reconciliation: false,
        residential_ledger: { schedule: '0 * * * *', ...options },
      },
      firstStepHold: '0s',
    });
  /** Returns the bytes of the account's use, without their sign. */
  const usedBy = ({ simulator }: Harness, at?: number): number =>
    simulator.truth
      .ledger(at)
      .filter(({ residential_ledger_reason: reason }) => reason === 'usage')
      .reduce((sum, { residential_ledger_bytes: bytes }) => sum + Math.abs(bytes), 0);
  const topUpsOf = ({ simulator }: Harness): number =>
    simulator.truth.ledger().filter(({ residential_ledger_reason: reason }) => reason === 'top_up').length;

  it.each([
    ['negative', 'auto'],
    ['positive', 'auto'],
    ['negative', 'negative'],
    ['positive', 'positive'],
  ])('use that is %s counts as use when configured as %s', async (sign, usage_sign) => {
    await using harness = await build({ usage_sign: sign }, { usage_sign });
    await harness.advance(2 * HOUR);
    const samples = await harness.samples();
    const grown = usedBy(harness) - usedBy(harness, Date.parse(START));
    expect(grown).toBeGreaterThan(0);
    expect(samples.by('reason', USED).usage).toBe(grown);
    expect(samples.value(BALANCE)).toBe((1 + topUpsOf(harness)) * TOP_UP - usedBy(harness));
  });

  it('a top-up and the use since the start count completely, and earlier rows do not count', async () => {
    await using harness = await build({});
    const before = topUpsOf(harness);
    await harness.advance(3 * DAY);
    const topUps = topUpsOf(harness);
    expect(topUps).toBeGreaterThan(before);
    const samples = await harness.samples();
    expect(samples.by('reason', ADDED)).toMatchObject({
      top_up: (topUps - before) * TOP_UP,
      service_purchase: 0,
    });
    expect(samples.by('reason', ENTRIES)).toEqual({ service_purchase: 1, top_up: topUps, usage: 7 });
    expect(samples.by('reason', USED).usage).toBe(usedBy(harness) - usedBy(harness, Date.parse(START)));
  });

  it('each service that rows name has a balance', async () => {
    await using harness = await build({ per_service: true });
    const samples = await harness.samples();
    const services = samples.all(SERVICE_BALANCE);
    expect(services.length).toBeGreaterThan(0);
    expect(services.reduce((sum, { value }) => sum + value, 0)).toBe(samples.value(BALANCE));
    const [service] = services;
    const bytes = harness.simulator.truth
      .ledger()
      .filter((row) => row.service_id === service?.labels.service_id)
      .reduce((sum, row) => sum + row.residential_ledger_bytes, 0);
    expect(service?.value).toBe(bytes);
  });

  it('the ledger of another customer is not mixed in', async () => {
    await using harness = await build({});
    const before = await harness.samples();
    harness.simulator.faults.add({ kind: 'set_fields', fields: { customer_id: 815 } });
    await harness.advance(HOUR);
    expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'auth' });
    const after = await harness.samples();
    for (const name of [USED, ADDED, ENTRIES]) {
      expect(after.by('reason', name)).toEqual(before.by('reason', name));
    }
    expect(after.all('proxywatch_account_info').map(({ labels }) => labels.customer_id)).toEqual(['4711']);
    expect(after.value('proxywatch_collector_error', { kind: 'auth' })).toBe(1);
  });
});

describe('counters', () => {
  it('of a configured usage reason exist at 0 before the first poll has ended', async () => {
    await using account = await StubAccount.start();
    account.failsAt = () => true;
    await using harness = await account.buildHarness('residential_ledger', {
      usage_reasons: ['usage', 'burn'],
    });
    expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'bad_response' });
    const samples = await harness.samples();
    expect(samples.by('reason', USED)).toEqual({ burn: 0, usage: 0 });
    expect(samples.all(ENTRIES)).toEqual([]);
    expect(samples.all(BALANCE)).toEqual([]);
  });

  it('of a reason that appears later show its first row completely, once the hold is over', async () => {
    await using account = await StubAccount.start();
    account.ledger = [ledgerRow('top_up', 1_000)];
    await using harness = await account.buildHarness('residential_ledger', {}, { firstStepHold: '90m' });
    account.ledger.push(ledgerRow('overage_adjustment', -300));
    await poll(harness);
    const held = await harness.samples();
    expect(held.by('reason', USED).overage_adjustment).toBe(0);
    expect(held.value(WITHHELD, { reason: 'overage_adjustment', direction: 'used' })).toBe(-300);
    await poll(harness);
    await poll(harness);
    expect((await harness.samples()).by('reason', USED).overage_adjustment).toBe(300);
  });

  it('follow a row that grows, and withhold bytes that are taken back', async () => {
    await using account = await StubAccount.start();
    const row = ledgerRow('usage', -500, { residential_ledger_requests: 5 });
    account.ledger = [row];
    await using harness = await account.buildHarness('residential_ledger');
    const change = async (bytes: number, requests: number): Promise<(number | undefined)[]> => {
      account.ledger = [{ ...row, residential_ledger_bytes: bytes, residential_ledger_requests: requests }];
      await poll(harness);
      const samples = await harness.samples();
      return [
        samples.by('reason', USED).usage,
        samples.value(WITHHELD, { reason: 'usage', direction: 'used' }),
        samples.by('reason', 'proxywatch_residential_ledger_requests_total').usage,
        samples.value(BALANCE),
      ];
    };
    expect(await change(-800, 8)).toEqual([300, 0, 3, -800]);
    expect(await change(-700, 8)).toEqual([300, 100, 3, -700]);
    expect(await change(-900, 9)).toEqual([400, 0, 4, -900]);
  });

  it('are right again after an answer gave a row another reason', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness('residential_ledger');
    const row = ledgerRow('top_up', 100, { residential_ledger_requests: 5 });
    const read = async (reason: string): Promise<object> => {
      account.ledger = [{ ...row, residential_ledger_reason: reason }];
      await poll(harness);
      await poll(harness);
      const samples = await harness.samples();
      const withheld = samples.by('reason', WITHHELD, { direction: 'added' });
      return { added: samples.by('reason', ADDED), used: samples.by('reason', USED), withheld };
    };
    const before = { added: { top_up: 100, usage: 0 }, used: { top_up: 0, usage: 0 } };
    expect(await read('top_up')).toEqual({ ...before, withheld: { top_up: 0, usage: 0 } });
    const wrong = { ...before, used: { top_up: 0, usage: 100 } };
    expect(await read('usage')).toEqual({ ...wrong, withheld: { top_up: 100, usage: 0 } });
    expect(await read('top_up')).toEqual({ ...wrong, withheld: { top_up: 0, usage: 0 } });
  });

  it('count bytes that an adjustment subtracts as used, under its own reason', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness('residential_ledger');
    account.ledger = [ledgerRow('adjustment', -40), ledgerRow('adjustment', 60)];
    await poll(harness);
    const samples = await harness.samples();
    expect(samples.by('reason', USED)).toEqual({ adjustment: 40, usage: 0 });
    expect(samples.by('reason', ADDED)).toEqual({ adjustment: 60, usage: 0 });
    expect(samples.value(BALANCE)).toBe(20);
  });

  it('treat use with the opposite of the configured sign as bytes given back', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness('residential_ledger', { usage_sign: 'negative' });
    account.ledger = [ledgerRow('usage', -100), ledgerRow('usage', 30)];
    await poll(harness);
    const samples = await harness.samples();
    expect(samples.by('reason', USED).usage).toBe(70);
    expect(samples.value(BALANCE)).toBe(-70);
  });
});

describe('a rule that is changed', () => {
  const figures = async (harness: Harness) => {
    const samples = await harness.samples();
    return {
      used: samples.by('reason', USED),
      added: samples.by('reason', ADDED),
      balance: samples.value(BALANCE),
    };
  };

  it('moves the balance at once, counts no row again, and applies to the growth of rows from then on', async () => {
    await using account = await StubAccount.start();
    const [topUp, burn] = [ledgerRow('top_up', 1_000), ledgerRow('burn', -100)];
    const usage = ledgerRow('usage', 200);
    account.ledger = [topUp, usage, burn];
    await using harness = await account.buildHarness('residential_ledger');
    await poll(harness);
    const history = { used: { usage: 0, burn: 0, top_up: 0 }, added: { usage: 0, burn: 0, top_up: 0 } };
    expect(await figures(harness)).toEqual({ ...history, balance: 700 });

    await harness.restart({ residential_ledger: { schedule: '0 * * * *', usage_sign: 'negative' } });
    expect(await figures(harness)).toEqual({ ...history, balance: 1_100 });
    await poll(harness);
    expect(await figures(harness)).toEqual({ ...history, balance: 1_100 });

    const rule = { schedule: '0 * * * *', usage_reasons: ['burn'] };
    await harness.restart({ residential_ledger: rule });
    account.ledger = [
      topUp,
      { ...usage, residential_ledger_bytes: 250 },
      { ...burn, residential_ledger_bytes: -130 },
    ];
    await poll(harness);
    expect(await figures(harness)).toEqual({
      used: { ...history.used, burn: 30 },
      added: { ...history.added, usage: 50 },
      balance: 1_000 + 250 - 130,
    });
  });

  it('leaves the pace of use as it was', async () => {
    await using account = await StubAccount.start();
    account.ledger = [ledgerRow('top_up', 1e12), ledgerRow('usage', -1e9), ledgerRow('burn', -1e9)];
    await using harness = await account.buildHarness('residential_ledger');
    await harness.advance(2 * DAY);
    await harness.restart({
      residential_ledger: { schedule: '0 * * * *', usage_reasons: ['usage', 'burn'] },
    });
    await poll(harness);
    await poll(harness);
    const exhaustion = 'proxywatch_residential_balance_exhaustion_timestamp_seconds';
    expect((await harness.samples()).value(exhaustion)).toBeUndefined();
  });
});

it('leaves out requests if no row of a reason has them', async () => {
  await using account = await StubAccount.start();
  account.ledger = [ledgerRow('top_up', 100, { residential_ledger_requests: null })];
  await using harness = await account.buildHarness('residential_ledger');
  const given = async () =>
    (await harness.samples()).by('reason', 'proxywatch_residential_ledger_requests_total');
  expect(await given()).toEqual({ usage: 0 });
  const row = ledgerRow('usage', -1, { residential_ledger_requests: 4 });
  account.ledger.push(row);
  await poll(harness);
  expect(await given()).toEqual({ usage: 4 });
  account.ledger[1] = { ...row, residential_ledger_requests: null };
  await poll(harness);
  account.ledger[1] = { ...row, residential_ledger_requests: 6 };
  await poll(harness);
  expect(await given()).toEqual({ usage: 6 });
});

describe('the forecast of exhaustion', () => {
  it('appears after a day of use, for the whole balance and for the service that is used', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness('residential_ledger');
    const exhaustion = async (): Promise<(number | undefined)[]> => {
      const samples = await harness.samples();
      return [
        samples.value('proxywatch_residential_balance_exhaustion_timestamp_seconds'),
        samples.value('proxywatch_residential_service_balance_exhaustion_timestamp_seconds'),
      ];
    };
    const topUps = ['used', 'idle'].map((service_id) => ledgerRow('top_up', 100_000, { service_id }));
    const usage = ledgerRow('usage', 0, { service_id: 'used' });
    const use = async (hours: number, from: number): Promise<void> => {
      for (let hour = from; hour < from + hours; hour += 1) {
        account.ledger = [...topUps, { ...usage, residential_ledger_bytes: -1_000 * hour }];
        await poll(harness);
      }
    };
    await use(23, 0);
    expect(await exhaustion()).toEqual([undefined, undefined]);
    await use(4, 23);
    const hoursAhead = (await exhaustion()).map(
      (at) => ((at ?? Number.NaN) * SECOND - harness.clock.now()) / HOUR,
    );
    // 174,000 bytes are left in all and 74,000 of the service, at 1,000 an hour.
    expect(hoursAhead[0]).toBeGreaterThan(160);
    expect(hoursAhead[0]).toBeLessThan(190);
    expect(hoursAhead[1]).toBeGreaterThan(65);
    expect(hoursAhead[1]).toBeLessThan(85);
  });
});

describe('a listing', () => {
  it('that is empty has no balance', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness('residential_ledger');
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    expect((await harness.samples()).value(BALANCE)).toBeUndefined();
  });

  it('whose rows moved counts its rows, is not repeated, and leaves the balance to the next one', async () => {
    await using account = await StubAccount.start();
    account.ledger = Array.from({ length: 150 }, () => ledgerRow('usage', -1));
    // A row is added between the first and the second page.
    account.totalCountOf = (rows, page) => rows.length - (page === 1 && account.requests === 1 ? 1 : 0);
    await using harness = await account.buildHarness('residential_ledger');
    expect(account.requests).toBe(2);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
    expect((await harness.samples()).by('reason', ENTRIES)).toEqual({ usage: 150 });
    expect((await harness.samples()).value(BALANCE)).toBeUndefined();
    await poll(harness);
    expect((await harness.samples()).value(BALANCE)).toBe(-150);
  });

  it('whose rows always move is partial, and has no balance and no baseline', async () => {
    await using account = await StubAccount.start();
    account.ledger = Array.from({ length: 150 }, () => ledgerRow('usage', -1));
    account.totalCountOf = (rows, page) => rows.length + page;
    await using harness = await account.buildHarness('residential_ledger');
    expect(account.requests).toBe(2);
    expect(await lastRun(harness)).toEqual({ result: 'partial', errorKind: 'bad_response' });
    account.ledger.push(ledgerRow('usage', -5));
    await poll(harness);
    const before = await harness.samples();
    expect(before.value(BALANCE)).toBeUndefined();
    account.totalCountOf = (rows) => rows.length;
    await poll(harness);
    account.ledger.push(ledgerRow('usage', -7));
    await poll(harness);
    const after = await harness.samples();
    expect(after.value(BALANCE)).toBe(-162);
    expect(after.by('reason', USED).usage).toBe(7);
  });

  it('skips and counts rows that do not decode, and stores the others', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness('residential_ledger');
    account.ledger = [
      ledgerRow('usage', -10),
      ledgerRow('usage', -20, { residential_ledger_bytes: null }),
      ledgerRow('usage', -30, { residential_ledger_bytes: 'thirty' }),
    ];
    await poll(harness);
    const samples = await harness.samples();
    expect(samples.by('reason', USED).usage).toBe(10);
    expect(samples.value('proxywatch_items_skipped_total')).toBe(2);
    expect(await lastRun(harness)).toEqual({ result: 'ok', errorKind: null });
  });

  it('with a row that never decoded has no balance until the row decodes', async () => {
    await using account = await StubAccount.start();
    const broken = ledgerRow('usage', -20, { residential_ledger_bytes: 'twenty' });
    const row = ledgerRow('top_up', 100);
    account.ledger = [row, broken];
    await using harness = await account.buildHarness('residential_ledger');
    const sums = async () => {
      const samples = await harness.samples();
      return [samples.value(BALANCE), samples.by('reason', ENTRIES)];
    };
    expect(await sums()).toEqual([undefined, {}]);
    await harness.restart();
    expect(await sums()).toEqual([undefined, {}]);
    account.ledger = [row, { ...broken, residential_ledger_bytes: -20 }];
    await poll(harness);
    expect(await sums()).toEqual([80, { top_up: 1, usage: 1 }]);
    // A known row keeps its value if an answer for it is invalid.
    account.ledger = [row, broken];
    await poll(harness);
    expect(await sums()).toEqual([80, { top_up: 1, usage: 1 }]);
  });

  it('of which no row decodes fails, and keeps the shown values', async () => {
    await using account = await StubAccount.start();
    account.ledger = [ledgerRow('usage', -10), ledgerRow('usage', -20)];
    await using harness = await account.buildHarness('residential_ledger');
    account.ledger = account.ledger.map((row) => ({ ...row, residential_ledger_bytes: 'seven' }));
    await poll(harness);
    expect(await lastRun(harness)).toEqual({ result: 'failed', errorKind: 'bad_response' });
    expect((await harness.samples()).value(BALANCE)).toBe(-30);
  });

  it('that fails on a later page keeps the shown values', async () => {
    await using account = await StubAccount.start();
    account.ledger = Array.from({ length: 150 }, () => ledgerRow('usage', -1));
    await using harness = await account.buildHarness('residential_ledger');
    account.failsAt = (page) => page > 1;
    await poll(harness);
    expect((await lastRun(harness)).result).toBe('partial');
    await poll(harness);
    await poll(harness);
    expect((await lastRun(harness)).result).toBe('failed');
    const samples = await harness.samples();
    expect(samples.value('proxywatch_collector_consecutive_failures')).toBe(2);
    expect(samples.value(BALANCE)).toBe(-150);
    expect(samples.by('reason', ENTRIES).usage).toBe(150);
  });
});

describe('a row without', () => {
  const sums = async (harness: Harness) => {
    const samples = await harness.samples();
    return { balance: samples.value(BALANCE), entries: samples.by('reason', ENTRIES) };
  };
  const dates = async (harness: Harness, from: string, to: string) =>
    (await harness.app.store.ledgers.residential.days('main', from, to)).flatMap(
      ({ periodDate, usedBytes }) => (usedBytes === 0 ? [] : [[periodDate, usedBytes]]),
    );
  const undated = { residential_ledger_period_date: null };

  it('a date counts in the balance, and on the day of its creation', async () => {
    await using account = await StubAccount.start();
    account.ledger = [
      ledgerRow('top_up', 100),
      ledgerRow('usage', -20, { ...undated, residential_ledger_creation_datetime: '2026-07-03 23:30:00' }),
      ledgerRow('usage', -3, { ...undated, residential_ledger_last_update_datetime: '2026-07-05 08:00:00' }),
    ];
    await using harness = await account.buildHarness('residential_ledger');
    expect(await sums(harness)).toEqual({ balance: 77, entries: { top_up: 1, usage: 2 } });
    expect(await dates(harness, '2026-07-01', '2026-07-06')).toEqual([
      ['2026-07-03', 20],
      ['2026-07-05', 3],
    ]);
  });

  it('any time counts on the day on which it was first seen, and stays there', async () => {
    await using account = await StubAccount.start();
    account.ledger = [ledgerRow('top_up', 100)];
    await using harness = await account.buildHarness('residential_ledger');
    const row = ledgerRow('usage', -5, undated);
    account.ledger.push(row);
    await poll(harness);
    await harness.advance(2 * DAY);
    account.ledger[1] = { ...row, residential_ledger_bytes: -9 };
    await poll(harness);
    expect(await dates(harness, '2026-07-01', '2026-07-31')).toEqual([['2026-07-06', 9]]);
    const samples = await harness.samples();
    expect(samples.by('reason', USED).usage).toBe(9);
    expect(samples.value(BALANCE)).toBe(91);
  });

  it('the date that it had before keeps it', async () => {
    await using account = await StubAccount.start();
    const row = ledgerRow('usage', -5, { residential_ledger_period_date: '2026-07-02' });
    account.ledger = [row];
    await using harness = await account.buildHarness('residential_ledger');
    const times = { residential_ledger_creation_datetime: '2026-07-04 00:00:00' };
    account.ledger = [{ ...row, ...undated, ...times, residential_ledger_bytes: -6 }];
    await poll(harness);
    expect(await dates(harness, '2026-07-01', '2026-07-31')).toEqual([['2026-07-02', 6]]);
  });

  it('the reason and the service that it had before keeps them', async () => {
    await using account = await StubAccount.start();
    const [topUp, usage] = [ledgerRow('top_up', 100), ledgerRow('usage', 30, { service_id: 'one' })];
    account.ledger = [topUp, usage];
    await using harness = await account.buildHarness('residential_ledger');
    const bare = { residential_ledger_reason: null, service_id: null };
    account.ledger = [topUp, { ...usage, ...bare, residential_ledger_bytes: 40 }];
    await poll(harness);
    const samples = await harness.samples();
    expect(samples.value(BALANCE)).toBe(60);
    expect(samples.by('reason', USED).usage).toBe(10);
    expect(samples.value(SERVICE_BALANCE, { service_id: 'one' })).toBe(-40);
  });

  it('a reason in its first answer is booked under the reason "unknown"', async () => {
    await using account = await StubAccount.start();
    account.ledger = [ledgerRow('top_up', 100), ledgerRow('', -30, { residential_ledger_reason: null })];
    await using harness = await account.buildHarness('residential_ledger');
    expect(await sums(harness)).toEqual({ balance: 70, entries: { top_up: 1, unknown: 1, usage: 0 } });
  });

  it('a time is logged once', async () => {
    await using account = await StubAccount.start();
    account.ledger = [ledgerRow('usage', -5, undated)];
    const warnings: string[] = [];
    const log: Log = {
      ...silentLog,
      warn: (_: object, message: string) => void warnings.push(message),
      child: () => log,
    };
    await using harness = await account.buildHarness('residential_ledger', {}, { log });
    await poll(harness);
    await poll(harness);
    expect(warnings.filter((message) => message.includes('without a date'))).toHaveLength(1);
  });
});

describe('rows that could not be read before the restart', () => {
  const rowsBefore = [ledgerRow('top_up', 100), ledgerRow('usage', -20)];
  const unreadable = rowsBefore.map((row, index) => ({
    ...row,
    ...(index && { residential_ledger_bytes: '?' }),
  }));

  it.each([
    ['a date before the baseline', { residential_ledger_period_date: '2026-07-01' }],
    ['no time at all', { residential_ledger_period_date: null }],
  ])('bring the balance back, and count nothing if they have %s', async (_what, times) => {
    await using account = await StubAccount.start();
    account.ledger = unreadable;
    await using harness = await account.buildHarness('residential_ledger');
    expect((await harness.samples()).value(BALANCE)).toBeUndefined();
    account.ledger = rowsBefore.map((row) => ({ ...row, ...times }));
    await harness.restart();
    await poll(harness);
    const samples = await harness.samples();
    expect(samples.value(BALANCE)).toBe(80);
    expect(samples.by('reason', USED).usage).toBe(0);
    // Rows that come later count completely again.
    account.ledger.push(ledgerRow('usage', -7, times));
    await poll(harness);
    const later = await harness.samples();
    expect(later.value(BALANCE)).toBe(73);
    expect(later.by('reason', USED).usage).toBe(times.residential_ledger_period_date === null ? 7 : 0);
  });
});
