// Tests how rounds spend the byte budget: metered proxies take turns, and free proxies are never limited.

import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBudget } from '../../../src/collectors/probes/budget/byte-budget.ts';
import { MOST_BYTES } from '../../../src/collectors/probes/budget/byte-prices.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import type { SpentBytes } from '../../../src/store/probe-store.ts';
import { recordingLog } from '../single-collector.ts';
import { FakeProber, passed } from './fake-probe.ts';
import { buildProbes, gateways, staticProxies, THREE_URLS, URLS } from './probes-harness.ts';

const REMAINING = 'proxywatch_probe_budget_remaining_bytes';
const SLOT = 10 * MINUTE;
const PRICE = { most: 1_000, estimate: 100 };

/** A store whose writes take a turn of the event loop, and fail while the test says so. */
class FailingStore {
  sum = 0;
  isFailing = false;

  async spend(_account: string, amounts: readonly SpentBytes[]): Promise<void> {
    const { isFailing } = this;
    await new Promise(setImmediate);
    if (isFailing) throw new Error('the store fails');
    for (const { bytes } of amounts) this.sum += bytes;
  }
}

describe('a byte budget', () => {
  const build = (limits: { remaining: number; allowed?: number }) => {
    const spent: SpentBytes[] = [];
    const clock = { time: 50 * SLOT, now: () => clock.time };
    const spend = async (_: string, amounts: readonly SpentBytes[]): Promise<void> => {
      spent.push(...amounts);
    };
    const budget = new ByteBudget({
      ...{ account: 'probes/main', piecesPerWrite: 16, probes: { spend }, clock },
      ...{ allowed: limits.remaining, ...limits },
    });
    const sum = (): number => spent.reduce((total, { bytes }) => total + bytes, 0);
    return { budget, spent, clock, sum };
  };

  it('reserves no more than the upper bounds allow, and again after a settlement', async () => {
    const { budget } = build({ remaining: 2_500 });
    expect([await budget.reserve(PRICE), await budget.reserve(PRICE)]).toEqual([true, true]);
    expect(await budget.reserve(PRICE)).toBe(false);
    budget.settle(PRICE, 400);
    expect(await budget.reserve(PRICE)).toBe(true);
    budget.settle(PRICE, 400);
    budget.settle(PRICE, 1_000);
    expect(await budget.reserve(PRICE)).toBe(false);
  });

  it('reserves no more than spreading allows, by the estimates', async () => {
    const { budget } = build({ remaining: 1e6, allowed: 250 });
    expect([await budget.reserve(PRICE), await budget.reserve(PRICE)]).toEqual([true, true]);
    expect(await budget.reserve(PRICE)).toBe(false);
  });

  it('counts bytes in the store before the probe, and exactly those that were used after it is closed', async () => {
    const { budget, sum } = build({ remaining: 1e6 });
    await budget.reserve(PRICE);
    expect(sum()).toBeGreaterThanOrEqual(1_000);
    budget.settle(PRICE, 123);
    await budget.close();
    expect(sum()).toBe(123);
  });

  it('lets wait only for probes that run', async () => {
    const { budget } = build({ remaining: 1_500 });
    expect(budget.mustWait({ most: 1_501, estimate: 100 })).toBe(false);
    await budget.reserve(PRICE);
    expect(budget.mustWait(PRICE)).toBe(true);
    const settlement = budget.nextSettlement();
    budget.settle(PRICE, 500);
    await settlement;
    expect([budget.mustWait(PRICE), budget.canAfford(PRICE)]).toEqual([false, true]);
    await budget.reserve(PRICE);
    budget.settle(PRICE, 501);
    expect([budget.mustWait(PRICE), budget.canAfford(PRICE)]).toEqual([false, false]);
  });

  it('keeps no reservation that the store did not count', async () => {
    const failing = new ByteBudget({
      ...{
        account: 'probes/main',
        piecesPerWrite: 16,
        clock: { now: () => 0 },
        remaining: 1_000,
        allowed: 1_000,
      },
      probes: { spend: () => Promise.reject(new Error('the store fails')) },
    });
    const settlement = failing.nextSettlement();
    await expect(failing.reserve(PRICE)).rejects.toThrow();
    await settlement;
    expect(failing.canAfford(PRICE)).toBe(true);
  });

  it('returns no bytes that the store did not count', async () => {
    const store = new FailingStore();
    const budget = new ByteBudget({
      ...{ account: 'probes/main', piecesPerWrite: 16, clock: { now: () => 0 }, probes: store },
      ...{ remaining: 1e6, allowed: 1e6 },
    });
    store.isFailing = true;
    await expect(budget.reserve(PRICE)).rejects.toThrow();
    store.isFailing = false;
    await budget.close();
    expect(store.sum).toBe(0);
  });

  it('has counted the upper bounds of all probes that run, whatever writes fail or are slow', async () => {
    const steps = fc.array(fc.constantFrom('reserve', 'settle', 'fail', 'recover', 'slot', 'wait'), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const store = new FailingStore();
        const clock = { time: 50 * SLOT, now: () => clock.time };
        const budget = new ByteBudget({
          ...{ account: 'probes/main', piecesPerWrite: 16, clock, probes: store },
          ...{ remaining: 40 * PRICE.most, allowed: 1e6 },
        });
        const reserving: Promise<unknown>[] = [];
        let [running, used] = [0, 0];
        const reserve = async (): Promise<void> => {
          if (!(await budget.reserve(PRICE).catch(() => false))) return;
          running += 1;
          expect(store.sum).toBeGreaterThanOrEqual(used + running * PRICE.most);
        };
        const settle = (): void => {
          if (running === 0) return;
          running -= 1;
          used += 700;
          budget.settle(PRICE, 700);
        };
        for (const step of drawn) {
          if (step === 'reserve') reserving.push(reserve());
          else if (step === 'settle') settle();
          else if (step === 'slot') clock.time += SLOT;
          else if (step === 'wait') await new Promise(setImmediate);
          else store.isFailing = step === 'fail';
        }
        await Promise.all(reserving);
        while (running > 0) settle();
        store.isFailing = false;
        await budget.close();
        expect(store.sum).toBe(used);
      }),
    );
  });

  it('counts in the slot in which a probe began what it may use', async () => {
    const { budget, spent, clock } = build({ remaining: 1e6 });
    await budget.reserve(PRICE);
    budget.settle(PRICE, 100);
    clock.time += SLOT;
    await budget.reserve(PRICE);
    budget.settle(PRICE, 900);
    await budget.close();
    const inSlot = (at: number): number =>
      spent.filter((each) => each.at === at).reduce((total, { bytes }) => total + bytes, 0);
    expect([inSlot(50 * SLOT), inSlot(51 * SLOT)]).toEqual([100, 900]);
  });
});

describe('rounds', () => {
  it('let metered proxies take turns, the longest untested first, and probe free ones always', async () => {
    const prober = new FakeProber();
    const log = recordingLog();
    prober.answer = () => ({ ...passed, bytes: { sent: 1_000, received: 9_000 } });
    // Two of four gateways an hour: the reservation needs the upper bound, and little is left beyond it.
    await using harness = await buildProbes(prober, {
      log,
      probes: {
        ...{ schedule: '0 * * * *', urls: URLS.slice(0, 1), parallel: 1 },
        ...{ proxies: [...staticProxies(1), ...gateways(4)], max_bytes_per_day: MOST_BYTES.tls + 480_000 },
      },
    });
    const rounds: string[][] = [];
    for (let hour = 0; hour < 24; hour += 1) {
      prober.take();
      await harness.advance(HOUR);
      rounds.push(prober.take());
    }
    expect(rounds.every((made) => made.includes('192.0.2.1 /check'))).toBe(true);
    const metered = rounds.flat().filter((made) => made.startsWith('203.'));
    const counts = [...Map.groupBy(metered, (made) => made).values()].map(({ length }) => length);
    expect(counts).toHaveLength(4);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
    expect(log.lines.filter(({ message }) => message.startsWith('max_bytes_per_day'))).toHaveLength(1);
  });

  it('probe all metered proxies, if their bytes fit although their upper bounds do not', async () => {
    const prober = new FakeProber();
    await using _harness = await buildProbes(prober, {
      probes: {
        ...{ schedule: '0 0 * * *', urls: URLS.slice(0, 1), parallel: 50 },
        ...{ proxies: gateways(50), max_bytes_per_day: 4 * MOST_BYTES.tls },
      },
    });
    expect(prober.made).toHaveLength(50);
    expect(prober.mostAtOnce).toBeLessThanOrEqual(4);
  });

  it('probe free proxies while metered ones wait for the budget', async () => {
    const prober = new FakeProber();
    const freeDone = Promise.withResolvers<void>();
    let free = 0;
    prober.answer = async ({ at }) => {
      if (at.startsWith('203.')) await freeDone.promise;
      else if (++free === 10) freeDone.resolve();
      return passed;
    };
    await using _harness = await buildProbes(prober, {
      probes: {
        ...{ schedule: '0 0 * * *', urls: URLS.slice(0, 1), parallel: 2 },
        ...{ proxies: [...gateways(10), ...staticProxies(10)], max_bytes_per_day: 2 * MOST_BYTES.tls - 1 },
      },
    });
    expect(prober.made).toHaveLength(20);
  });

  it('tell the prober which proxies are metered, so that it limits their bytes sharply', async () => {
    const prober = new FakeProber();
    await using _harness = await buildProbes(prober, {
      probes: { urls: URLS.slice(0, 1), proxies: [...staticProxies(1), ...gateways(1)] },
    });
    const metered = Object.fromEntries(prober.made.map(({ at, request }) => [at, request.isMetered]));
    expect(metered).toEqual({ '192.0.2.1': false, '203.0.113.1': true });
  });

  it('count exactly the bytes of metered proxies, and keep them over a restart', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, {
      probes: { proxies: [...staticProxies(3), ...gateways(2)], max_bytes_per_day: '100MB' },
    });
    const expected = 100e6 - 2 * 2 * 5_000;
    expect((await harness.samples()).value(REMAINING)).toBe(expected);
    await harness.restart();
    expect((await harness.samples()).value(REMAINING)).toBe(expected);
  });

  it('count bytes until a day after the last probe of the proxy can have ended', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, {
      probes: {
        ...{ schedule: '0 0 1 1 *', timeout: '1m', proxies: gateways(1), max_bytes_per_day: '100MB' },
        ...{ urls: THREE_URLS, exit: { url: 'https://echo.example.com/ip' } },
      },
    });
    expect(prober.take()).toHaveLength(4);
    // The round began at 12:01:30, in the slot that ends at 12:10. Four probes can end at 12:14:20, with
    // a minute for each, and five seconds in which each waits until its name can be looked up.
    await harness.advance(DAY + 12 * MINUTE + 40 * SECOND);
    await harness.restart();
    expect((await harness.samples()).value(REMAINING)).toBe(100e6 - 4 * 5_000);
    await harness.advance(15 * SECOND);
    await harness.restart();
    expect((await harness.samples()).value(REMAINING)).toBe(100e6);
  });

  it('do not estimate metered probes by those of static proxies, which resume sessions', async () => {
    const prober = new FakeProber();
    const bytes = { sent: 100, received: 900 };
    prober.answer = ({ at }) => (at.startsWith('203.') ? passed : { ...passed, bytes });
    await using harness = await buildProbes(prober, {
      probes: {
        ...{ schedule: '0 * * * *', urls: URLS.slice(0, 1), parallel: 1, max_bytes_per_day: '4MB' },
        proxies: [...staticProxies(100), ...gateways(100)],
      },
    });
    const metered: number[] = [];
    for (let hour = 0; hour < 24; hour += 1) {
      prober.take();
      await harness.advance(HOUR);
      metered.push(prober.take().filter((made) => made.startsWith('203.')).length);
    }
    // A day allows 800 probes, so each round has its share.
    expect(Math.min(...metered)).toBeGreaterThanOrEqual(20);
    expect(Math.max(...metered)).toBeLessThanOrEqual(45);
  });

  it('keep to a budget that a reload makes smaller during a round and a request', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, {
      probes: { urls: URLS.slice(0, 1), proxies: gateways(4), parallel: 1, max_bytes_per_day: '100MB' },
    });
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const released = Promise.withResolvers<void>();
    prober.take();
    prober.answer = async ({ request: { signal, onBytes } }) => {
      begun[prober.made.length - 1]?.resolve();
      const aborted = once(signal, 'abort').then(() => {
        onBytes?.({ sent: 30, received: 7 });
        throw signal.reason;
      });
      await Promise.race([aborted, released.promise]);
      return passed;
    };
    harness.clock.advance(5 * MINUTE);
    const requested = harness.app.probeRequests.probe({ account: undefined, proxy: 'g4', url: 'check' });
    await begun[0]?.promise;
    harness.app.runner.tick();
    await begun[1]?.promise;
    // Four probes of 5,000 bytes have ended, the reload cuts one off, and the upper bound of the request is reserved.
    const budget = 4 * 5_000 + 37 + MOST_BYTES.tls + MOST_BYTES.tls - 1;
    const { settings } = harness;
    const accounts = settings.accounts.map((account) => ({
      ...account,
      probes: account.probes && { ...account.probes, max_bytes_per_day: budget },
    }));
    await harness.app.reconfigure({ ...settings, accounts });
    await harness.app.runner.idle();
    expect(prober.made).toHaveLength(2);
    released.resolve();
    expect(await requested).toHaveProperty('text');
    await harness.advance(5 * MINUTE);
    expect((await harness.samples()).value(REMAINING)).toBe(budget - 5 * 5_000 - 37);
  });

  it('count what probes took that the end of the run cut off', async () => {
    const prober = new FakeProber();
    await using harness = await buildProbes(prober, {
      probes: { urls: THREE_URLS, proxies: gateways(1), max_bytes_per_day: '100MB' },
    });
    const before = 3 * 5_000;
    const begun = Promise.withResolvers<void>();
    prober.answer = ({ target, request: { signal, onBytes } }) => {
      if (target === '/check') return passed;
      begun.resolve();
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          onBytes?.({ sent: 30, received: 7 });
          reject(signal.reason);
        }),
      );
    };
    harness.clock.advance(5 * MINUTE);
    harness.app.runner.tick();
    await begun.promise;
    await harness.app.runner.stop(0);
    prober.answer = () => passed;
    await harness.restart();
    const samples = await harness.samples();
    expect(samples.value(REMAINING)).toBe(100e6 - before - 5_000 - 37);
    const received = { url: 'shop', direction: 'received' };
    expect(samples.value('proxywatch_probe_bytes_total', received)).toBe(4_000 + 7);
  });
});
