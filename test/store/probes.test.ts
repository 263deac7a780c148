// Tests what the store keeps of probes: controls, phases, bytes, refusals, failures, exits, and the bytes of a day.

import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { ControlResult, ProbeBatch } from '../../src/store/probe-store.ts';
import type { Store } from '../../src/store/store.ts';
import { HOLD_MS, makeFolder, openStore, START } from './support.ts';

const ACCOUNT = 'probes/main';
const NOTHING: Omit<ProbeBatch, 'now'> = {
  phases: [],
  bytes: [],
  refusals: new Map(),
  failures: [],
  exits: [],
};
const FAILURE = {
  ...{ proxy: 'p0', url: 'check', phase: 'tunnel', cause: 'quota', message: 'the bandwidth is used up' },
  ...{ status: 429, code: '4221', requestId: '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11' },
};
const EXIT = { proxy: 'p0', expected: '192.0.2.1', seen: '192.0.2.1', isMismatch: false };

let store: Store;

beforeEach(() => {
  store = openStore(join(makeFolder(), 'store.db'));
  return () => store[Symbol.dispose]();
});

const save = (batch: Partial<ProbeBatch>, now = START): Promise<void> =>
  store.probes.saveBatch(ACCOUNT, { ...NOTHING, now, ...batch });

describe('controls', () => {
  it('count the rounds in a row in which each of them fails, and gets no answer', async () => {
    const failed = { url: 'check', isSuccessful: false, error: 'connect_refused' };
    const passed = { url: 'shop', isSuccessful: true, error: null };
    const save = (now: number, ...results: readonly ControlResult[]): Promise<void> =>
      store.probes.saveControls(ACCOUNT, results, now);
    await save(START, { ...failed, isUnreached: true }, { ...passed, isUnreached: false });
    await save(START + MINUTE, { ...failed, isUnreached: true });
    expect(await store.probes.controls(ACCOUNT)).toEqual([
      { ...failed, failingRounds: 2, unreachedRounds: 2, at: START + MINUTE },
      { ...passed, failingRounds: 0, unreachedRounds: 0, at: START },
    ]);
    await save(START + HOUR, { ...failed, error: 'response_status', isUnreached: false });
    expect((await store.probes.controls(ACCOUNT))[0]).toMatchObject({ failingRounds: 3, unreachedRounds: 0 });
    await save(START + DAY, { ...failed, isSuccessful: true, error: null, isUnreached: false });
    expect((await store.probes.controls(ACCOUNT))[0]).toMatchObject({ failingRounds: 0, error: null });
  });
});

describe('phases', () => {
  it('are cumulative histograms by url and phase', async () => {
    const times = [40, 60, 70_000].map((ms) => ({ url: 'check', phase: 'connect', ms }));
    await save({ phases: [...times, { url: 'check', phase: 'tls', ms: 200 }] });
    await save({ phases: [{ url: 'check', phase: 'connect', ms: 90 }] });
    const [connect, tls] = await store.probes.phaseTimes(ACCOUNT);
    expect(connect).toMatchObject({ phase: 'connect', sumMs: 70_190, count: 4 });
    expect(connect?.counts).toEqual([1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]);
    expect(tls).toMatchObject({ phase: 'tls', count: 1, heldUntil: START + HOLD_MS });
  });
});

describe('bytes and refusals', () => {
  it('begin at 0 when the account is opened, and grow with each batch', async () => {
    await store.probes.open(ACCOUNT, ['check'], ['quota', 'policy'], START);
    const bytes = { url: 'check', sent: 100, received: 900 };
    await save({ bytes: [bytes, bytes], refusals: new Map([['quota', 2]]) });
    await save({ bytes: [bytes] });
    const { sent, received } = (await store.probes.bytes(ACCOUNT, ['check'])).get('check') ?? {};
    expect([sent?.served, received?.served]).toEqual([300, 2_700]);
    const { quota, policy } = await store.probes.refusals(ACCOUNT, ['quota', 'policy']);
    expect([quota?.served, policy?.served]).toEqual([2, 0]);
    expect(policy?.heldUntil).toBe(START + HOLD_MS);
  });
});

describe('failures', () => {
  it('are the last of each proxy and url, with the request id, the newest first', async () => {
    const other = { ...FAILURE, proxy: 'p1', code: null, requestId: null };
    await save({ failures: [FAILURE] });
    await save({ failures: [other] }, START + MINUTE);
    expect(await store.probes.failures(ACCOUNT)).toEqual([
      { ...other, at: START + MINUTE },
      { ...FAILURE, at: START },
    ]);
    await save({ failures: [{ ...FAILURE, cause: 'policy' }] }, START + HOUR);
    expect(await store.probes.failures(ACCOUNT, 'p0')).toEqual([
      { ...FAILURE, cause: 'policy', at: START + HOUR },
    ]);
  });
});

describe('exits', () => {
  it('keep the time since which they have been as expected or not', async () => {
    const wrong = { ...EXIT, seen: '203.0.113.9', isMismatch: true };
    await save({ exits: [EXIT] });
    await save({ exits: [wrong] }, START + HOUR);
    await save({ exits: [{ ...wrong, seen: '203.0.113.10' }] }, START + 2 * HOUR);
    expect(await store.probes.exits(ACCOUNT)).toEqual([
      { ...wrong, seen: '203.0.113.10', since: START + HOUR, at: START + 2 * HOUR },
    ]);
  });
});

describe('spent bytes', () => {
  it('add up in slots of ten minutes, and can be returned', async () => {
    await store.probes.spend(ACCOUNT, [{ at: START + MINUTE, bytes: 500 }]);
    await store.probes.spend(ACCOUNT, [
      { at: START + 2 * MINUTE, bytes: -200 },
      { at: START + 11 * MINUTE, bytes: 7 },
    ]);
    expect(await store.probes.spent(ACCOUNT, START - DAY)).toEqual([
      { at: START, bytes: 300 },
      { at: START + 10 * MINUTE, bytes: 7 },
    ]);
  });

  it('stay when a clock is days ahead for a while', async () => {
    await store.probes.spend(ACCOUNT, [{ at: START, bytes: 500 }]);
    await store.probes.spend(ACCOUNT, [{ at: START + 30 * DAY, bytes: 7 }]);
    expect(await store.probes.spent(ACCOUNT, START)).toEqual([
      { at: START, bytes: 500 },
      { at: START + 30 * DAY, bytes: 7 },
    ]);
  });

  it('are kept for the last two days of probes at all times, and not for longer', async () => {
    const slots = Array.from({ length: 400 }, (_, index) => START + index * 10 * MINUTE);
    for (const at of slots) await store.probes.spend(ACCOUNT, [{ at, bytes: 1 }]);
    const kept = (await store.probes.spent(ACCOUNT, 0)).map(({ at }) => at);
    expect(kept).toEqual(slots.slice(-288));
  });

  it('of a clock that was ahead count as spent now', async () => {
    const ahead = START + 3 * DAY;
    await store.probes.spend(ACCOUNT, [{ at: ahead, bytes: 500 }]);
    await store.runs.record({
      ...{ account: 'main', collector: 'probes', startedAt: ahead, finishedAt: ahead, result: 'ok' },
      ...{ errorKind: null, errorMessage: null, intervalMs: MINUTE, isSuccess: true },
      ...{ skippedItems: 0, failingParts: 0 },
    });
    await store.correctFutureTimes(START, 'main');
    expect(await store.probes.spent(ACCOUNT, 0)).toEqual([{ at: START, bytes: 500 }]);
  });
});

describe('maintenance', () => {
  const retention = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
  const { signal } = new AbortController();
  const account = { zone: 'UTC', graphs: [], areUsersPolled: false };

  it('deletes what is older than the retention, and nothing else', async () => {
    await save({ failures: [FAILURE], exits: [EXIT] });
    await save({ failures: [{ ...FAILURE, proxy: 'p1' }] }, START + 2 * DAY);
    await store.tests.saveBatch(ACCOUNT, { results: [], proxies: [], now: START + 2 * DAY });
    const accounts = [{ ...account, name: ACCOUNT }];
    await store.maintain({ now: START + 401 * DAY, retention, accounts, signal });
    expect((await store.probes.failures(ACCOUNT)).map(({ proxy }) => proxy)).toEqual(['p1']);
    expect(await store.probes.exits(ACCOUNT)).toEqual([]);
  });

  it('deletes everything of an account that has long not been probed, counters included', async () => {
    await store.probes.open(ACCOUNT, ['check'], [], START);
    await save({ bytes: [{ url: 'check', sent: 5, received: 5 }], failures: [FAILURE] });
    await store.tests.saveBatch(ACCOUNT, { results: [], proxies: [], now: START });
    await store.maintain({ now: START + 401 * DAY, retention, accounts: [], signal });
    await store.probes.open(ACCOUNT, [], [], START);
    expect((await store.probes.bytes(ACCOUNT, ['check'])).get('check')?.sent.served).toBe(0);
    expect(await store.probes.failures(ACCOUNT)).toEqual([]);
  });
});
