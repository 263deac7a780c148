// The runner with jobs that a test holds in its hands, on its clock and with a real store.

import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/collectors/collector.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import type { Job, RunnerResult } from '../../src/schedule/job.ts';
import { Runner } from '../../src/schedule/runner.ts';
import { StoreError } from '../../src/store/errors.ts';
import type { RunState } from '../../src/store/run-store.ts';
import type { Store } from '../../src/store/store.ts';
import { TestStore } from '../store/support.ts';
import { FakeClock } from '../support/fake-clock.ts';

const START = Date.parse('2026-07-06T12:01:30Z');
const FINE: Outcome = { skipped: 0, failedParts: [] };

/** One run of a job, to be ended by the test; an aborted one ends by itself. */
interface Run {
  readonly signal: AbortSignal;
  end(outcome?: Outcome): void;
  fail(error: unknown): void;
}

class FakeJob implements Job {
  readonly account: string;
  readonly collector: string;
  readonly schedules: readonly string[];
  readonly zone = 'UTC';
  readonly runs: Run[] = [];
  readonly after: readonly string[];
  readonly shows: readonly string[];
  rendered = 0;
  isHeldBack = false;

  constructor({
    account = 'main',
    collector = 'traffic',
    schedules = ['*/10 * * * *'],
    after = [] as string[],
    shows = [] as string[],
  } = {}) {
    this.account = account;
    this.collector = collector;
    this.schedules = schedules;
    this.after = after;
    this.shows = shows;
  }

  /** The newest run. */
  get run(): Run {
    const run = this.runs.at(-1);
    if (!run) throw new Error(`${this.collector} has not run`);
    return run;
  }

  collect: Job['collect'] = (signal, progress) => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    signal.addEventListener('abort', () => reject(signal.reason));
    progress({ done: this.runs.length, total: undefined, unit: 'runs' });
    this.runs.push({ signal, end: (outcome = FINE) => resolve(outcome), fail: reject });
    return promise;
  };

  render = async (): Promise<void> => {
    this.rendered += 1;
  };

  isThrottled = (): boolean => this.isHeldBack;
  isUnreached = (): boolean => false;
}

/** Lets promises go on until something is so. */
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await nextTurn();
};

class Bench implements Disposable {
  readonly clock = new FakeClock(START);
  readonly ended: [collector: string, result: RunnerResult, skipped: number][] = [];
  readonly #files = new TestStore();
  readonly runner: Runner;

  constructor({ log = silentLog, store }: { log?: Log; store?: (real: Store) => Store } = {}) {
    this.runner = new Runner({
      clock: this.clock,
      log,
      store: store?.(this.#files.store) ?? this.#files.store,
      onRun: ({ collector }, result, skipped) => this.ended.push([collector, result, skipped]),
    });
  }

  /** Takes the job in. */
  async add<J extends Job>(job: J): Promise<J> {
    await this.runner.add(job);
    return job;
  }

  /** Moves time on, as the daemon's tick would see it. */
  advance(ms: number): void {
    this.clock.advance(ms);
    this.runner.tick();
    this.runner.tell();
  }

  async state(collector = 'traffic'): Promise<RunState | undefined> {
    return (await this.#files.store.runs.states('main')).find((state) => state.collector === collector);
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
  }
}

describe('many jobs', () => {
  it('begin ten in a second, in turn, and a slot that finds one waiting is not skipped', async () => {
    using bench = new Bench();
    const jobs: FakeJob[] = [];
    for (let n = 0; n < 25; n += 1)
      jobs.push(await bench.add(new FakeJob({ account: `account-${n}`, schedules: ['* * * * * *'] })));
    const begun = (): number => jobs.filter(({ runs }) => runs.length > 0).length;
    const passSecond = async (): Promise<void> => {
      for (const job of jobs) job.runs.at(-1)?.end();
      await nextTurn();
      bench.advance(SECOND);
      await nextTurn();
    };
    expect(begun()).toBe(10);
    expect(jobs.findIndex(({ runs }) => runs.length === 0)).toBe(10);
    await passSecond();
    expect(begun()).toBe(20);
    await passSecond();
    expect(begun()).toBe(25);
    expect(jobs.slice(20).map(({ runs }) => runs.length)).toEqual([1, 1, 1, 1, 1]);
    expect(bench.ended.filter(([, result]) => result === 'skipped')).toEqual([]);
  });

  it('that wait for their turn never begin once the runner stops, or when they are removed', async () => {
    using bench = new Bench();
    const jobs: FakeJob[] = [];
    for (let n = 0; n < 12; n += 1) jobs.push(await bench.add(new FakeJob({ account: `account-${n}` })));
    await bench.runner.remove('account-10', 'traffic');
    const idle = bench.runner.idle();
    await bench.runner.stop(0);
    await idle;
    expect(jobs.slice(10).map(({ runs }) => runs.length)).toEqual([0, 0]);
  });
});

describe('a job', () => {
  it('runs at once when it never ran, and at its slots', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    expect(job.runs).toHaveLength(1);
    job.run.end();
    await bench.runner.idle();
    bench.advance(8 * MINUTE);
    expect(job.runs).toHaveLength(1);
    bench.advance(2 * MINUTE);
    expect(job.runs).toHaveLength(2);
  });

  it('runs at the slots of every schedule that it has', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob({ schedules: ['0 * * * *', '35 4 * * *', '*/20 * * * *'] }));
    for (let at = 0; at < HOUR; at += MINUTE) {
      job.run.end();
      await bench.runner.idle();
      bench.advance(MINUTE);
    }
    expect(job.runs).toHaveLength(1 + 3);
  });

  it('waits for those of its account that it comes after, when they are running', async () => {
    using bench = new Bench();
    const ledger = await bench.add(new FakeJob({ collector: 'ledger' }));
    await bench.add(new FakeJob({ account: 'other', collector: 'ledger' }));
    const services = await bench.add(new FakeJob({ collector: 'services', after: ['ledger', 'inventory'] }));
    await nextTurn();
    expect(services.runs).toHaveLength(0);
    ledger.run.fail(new Error('broken'));
    await until(() => services.runs.length === 1);
    expect(bench.ended).toEqual([['ledger', 'failed', 0]]);
    services.run.end();
    await until(() => bench.ended.length === 2);
    bench.advance(8 * MINUTE);
    bench.advance(2 * MINUTE);
    expect([ledger.runs.length, services.runs.length]).toEqual([2, 1]);
  });

  it('is rendered after the runs of those whose data it shows', async () => {
    using bench = new Bench();
    const tests = await bench.add(new FakeJob({ collector: 'tests' }));
    const inventory = await bench.add(new FakeJob({ collector: 'inventory', shows: ['tests'] }));
    const foreign = await bench.add(
      new FakeJob({ account: 'other', collector: 'inventory', shows: ['tests'] }),
    );
    tests.run.end();
    await until(() => bench.ended.length === 1);
    expect([tests, inventory, foreign].map(({ rendered }) => rendered)).toEqual([1, 1, 0]);
    inventory.run.end();
    await until(() => bench.ended.length === 2);
    expect([tests, inventory, foreign].map(({ rendered }) => rendered)).toEqual([1, 2, 0]);
  });

  it('runs one at a time: a slot that finds it running is skipped', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    bench.advance(10 * MINUTE);
    expect(job.runs).toHaveLength(1);
    expect(bench.ended).toEqual([['traffic', 'skipped', 0]]);
    job.run.end({ skipped: 3, failedParts: [] });
    await bench.runner.idle();
    bench.advance(10 * MINUTE);
    expect(job.runs).toHaveLength(2);
    expect(bench.ended.slice(1)).toEqual([['traffic', 'ok', 3]]);
  });

  it('does not run at the start while its last run is fresh, whatever became of it', async () => {
    using bench = new Bench();
    const before = await bench.add(new FakeJob());
    before.run.fail(new Error('boom'));
    await bench.runner.idle();
    await bench.runner.remove('main', 'traffic');
    bench.clock.advance(9 * MINUTE);
    expect((await bench.add(new FakeJob())).runs).toHaveLength(0);
    await bench.runner.remove('main', 'traffic');
    bench.clock.advance(MINUTE);
    expect((await bench.add(new FakeJob())).runs).toHaveLength(1);
  });

  it('runs at the start when the clock was set back behind its last run', async () => {
    using bench = new Bench();
    const before = await bench.add(new FakeJob());
    before.run.end();
    await bench.runner.idle();
    await bench.runner.remove('main', 'traffic');
    bench.clock.jumpTo(START - HOUR);
    expect((await bench.add(new FakeJob())).runs).toHaveLength(1);
  });

  it('is ended and forgotten when it is removed', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    const removed = bench.runner.remove('main', 'traffic');
    expect(job.run.signal.aborted).toBe(true);
    await removed;
    bench.advance(HOUR);
    expect(job.runs).toHaveLength(1);
    expect(bench.runner.status()).toEqual([]);
    expect(bench.ended).toEqual([]);
    expect(await bench.state()).toBeUndefined();
  });

  it('that is removed is there until its run has ended, and starts no other', async () => {
    using bench = new Bench();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const job = await bench.add(new FakeJob());
    // Not every run ends as soon as it is told to.
    const stubborn = await bench.add(
      Object.assign(new FakeJob({ account: 'shop' }), { collect: () => promise }),
    );
    const removed = Promise.all([
      bench.runner.remove('main', 'traffic'),
      bench.runner.remove('shop', 'traffic'),
    ]);
    bench.advance(10 * MINUTE);
    expect(bench.ended).toEqual([]);
    await expect(bench.add(new FakeJob({ account: 'shop' }))).rejects.toThrow('there already');
    const idle = bench.runner.idle().then(() => bench.runner.status());
    resolve(FINE);
    await removed;
    expect([await idle, job.runs.length, stubborn.rendered]).toEqual([[], 1, 0]);
  });

  it('runs at once when told so, and not at all once the runner has stopped', async () => {
    using bench = new Bench();
    const first = await bench.add(new FakeJob());
    first.run.end();
    await bench.runner.idle();
    await bench.runner.remove('main', 'traffic');
    const second = new FakeJob();
    await bench.runner.add(second, true);
    expect(second.runs).toHaveLength(1);
    await bench.runner.stop(0);
    expect((await bench.add(new FakeJob({ account: 'shop' }))).runs).toHaveLength(0);
  });

  it('tells how far it is, and when it comes next', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    bench.clock.advance(5 * SECOND);
    expect(bench.runner.status()).toMatchObject([
      {
        account: 'main',
        collector: 'traffic',
        runningSince: START,
        progress: { done: 0, total: undefined, unit: 'runs' },
        intervalMs: 10 * MINUTE,
      },
    ]);
    job.run.end();
    await bench.runner.idle();
    const [status] = bench.runner.status();
    expect(status).toMatchObject({ runningSince: null, progress: null });
    expect(status?.nextAt).toBeGreaterThanOrEqual(Date.parse('2026-07-06T12:10:00Z'));
    expect(status?.nextAt).toBeLessThan(Date.parse('2026-07-06T12:11:00Z'));
  });
});

describe('keys that were rejected', () => {
  const nightly = (collector: string, account = 'main') =>
    new FakeJob({ account, collector, schedules: ['0 3 * * *'] });
  const rejected = new ProviderError('auth', 'proxy_user/search', 'no');

  it('and are good again have all that they were rejected for run at once, and once', async () => {
    using bench = new Bench();
    const traffic = await bench.add(new FakeJob());
    const [users, foreign, down] = [nightly('users'), nightly('users', 'other'), nightly('catalog')];
    for (const job of [users, foreign, down]) await bench.add(job);
    for (const job of [traffic, users, foreign]) job.run.fail(rejected);
    down.run.fail(new ProviderError('server', 'checkout/catalog', 'no'));
    await bench.runner.idle();
    const runs = () => [users, foreign, down].map((job) => job.runs.length);
    bench.advance(10 * MINUTE);
    traffic.run.fail(rejected);
    await bench.runner.idle();
    expect(runs()).toEqual([1, 1, 1]);
    bench.advance(10 * MINUTE);
    traffic.run.end();
    await until(() => users.runs.length === 2);
    // This endpoint alone is not allowed: it is not asked again at each success of another one.
    users.run.fail(rejected);
    await bench.runner.idle();
    bench.advance(10 * MINUTE);
    traffic.run.end();
    await bench.runner.idle();
    expect(runs()).toEqual([2, 1, 1]);
  });

  it('for one part alone have nothing run again when the others go well', async () => {
    using bench = new Bench();
    const traffic = await bench.add(new FakeJob());
    const users = await bench.add(nightly('users'));
    const ofOnePart = { skipped: 0, failedParts: [{ part: 'shop', error: rejected }], isCurrent: true };
    traffic.run.end(ofOnePart);
    users.run.fail(rejected);
    await bench.runner.idle();
    for (let run = 0; run < 3; run += 1) {
      bench.advance(10 * MINUTE);
      traffic.run.end(ofOnePart);
      await bench.runner.idle();
    }
    expect(users.runs).toHaveLength(1);
  });

  it('are remembered over a restart', async () => {
    using bench = new Bench();
    const [traffic, users] = [new FakeJob(), nightly('users')];
    for (const job of [traffic, users]) {
      await bench.add(job);
      job.run.fail(rejected);
    }
    await bench.runner.idle();
    for (const job of [traffic, users]) {
      await bench.runner.remove(job.account, job.collector);
      await bench.add(job);
    }
    expect(users.runs).toHaveLength(1);
    bench.advance(10 * MINUTE);
    traffic.run.end();
    await until(() => users.runs.length === 2);
    users.run.end();
    await bench.runner.idle();
    expect(await bench.state('users')).toMatchObject({ result: 'ok' });
  });
});

describe('an outcome', () => {
  it('is stored with what it took, and shown', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    bench.clock.advance(4 * SECOND);
    job.run.end();
    await bench.runner.idle();
    expect(await bench.state()).toEqual({
      account: 'main',
      collector: 'traffic',
      startedAt: START,
      finishedAt: START + 4 * SECOND,
      result: 'ok',
      isSuccess: true,
      errorKind: null,
      errorMessage: null,
      skippedItems: 0,
      failingParts: 0,
      watchedSince: START,
      intervalMs: 10 * MINUTE,
      passMs: 0,
      lastSuccessAt: START + 4 * SECOND,
      failures: 0,
    });
    expect(job.rendered).toBe(1);
  });

  it('with parts that failed is partial, with their errors', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    const failed = (part: string, kind: 'rejected' | 'timeout') => ({
      part,
      error: new ProviderError(kind, 'analytics/graph', 'no'),
    });
    job.run.end({ skipped: 1, failedParts: [failed('shop', 'rejected'), failed('isp', 'timeout')] });
    await bench.runner.idle();
    expect(await bench.state()).toMatchObject({
      result: 'partial',
      errorKind: 'rejected',
      errorMessage: 'shop: analytics/graph: no; isp: analytics/graph: no',
      failingParts: 2,
      lastSuccessAt: null,
    });
    expect(bench.ended).toEqual([['traffic', 'partial', 1]]);
  });

  it.each([
    ['of the provider has its kind', new ProviderError('auth', 'proxy_user/search', 'no'), 'auth'],
    ['of the store is internal', new StoreError('failed', 'no'), 'internal'],
    ['of any kind is internal', new TypeError('no'), 'internal'],
    ['that is none is internal', 'no', 'internal'],
  ])('that is an error %s', async (_, thrown, errorKind) => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    job.run.fail(thrown);
    await bench.runner.idle();
    expect(await bench.state()).toMatchObject({ result: 'failed', errorKind });
    expect((await bench.state())?.errorMessage).toContain('no');
    expect(job.rendered).toBe(1);
  });

  it('that is an error harms no other job, and not the next run', async () => {
    using bench = new Bench();
    const bad = await bench.add(new FakeJob());
    const good = await bench.add(new FakeJob({ collector: 'proxy_users' }));
    bad.run.fail(new Error('boom'));
    bad.render = () => Promise.reject(new Error('bang'));
    good.run.end();
    await bench.runner.idle();
    expect(bench.ended).toEqual([
      ['traffic', 'failed', 0],
      ['proxy_users', 'ok', 0],
    ]);
    bench.advance(10 * MINUTE);
    expect([bad.runs.length, good.runs.length]).toEqual([2, 2]);
    expect((await bench.state())?.failures).toBe(1);
  });

  it('that the store cannot take is logged, and the next run comes', async () => {
    const lines: string[] = [];
    const log: Log = { ...silentLog, error: (_, message) => lines.push(message), child: () => log };
    const record = (): Promise<void> => Promise.reject(new StoreError('unwritable', 'disk full'));
    using bench = new Bench({ log, store: (real) => ({ ...real, runs: { ...real.runs, record } }) });
    const job = await bench.add(new FakeJob());
    job.run.end();
    await bench.runner.idle();
    expect(lines).toEqual(['the run could not be recorded']);
    expect(bench.ended).toEqual([['traffic', 'ok', 0]]);
    bench.advance(10 * MINUTE);
    expect(job.runs).toHaveLength(2);
  });
});

describe('the deadline', () => {
  it.each([
    ['ten minutes under short schedules', '* * * * *', 10 * MINUTE],
    ['three intervals under long ones', '0 * * * *', 3 * HOUR],
  ])('is %s, and ends a run as a timeout', async (_, schedule, limit) => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob({ schedules: [schedule] }));
    bench.clock.advance(limit - 1);
    expect(job.run.signal.aborted).toBe(false);
    bench.clock.advance(1);
    await bench.runner.idle();
    expect(job.run.signal.aborted).toBe(true);
    expect(await bench.state()).toMatchObject({ result: 'failed', errorKind: 'timeout' });
  });

  it('is the pace’s to answer for when the provider asked for a slower one', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    job.isHeldBack = true;
    bench.clock.advance(30 * MINUTE);
    await bench.runner.idle();
    expect(await bench.state()).toMatchObject({ result: 'failed', errorKind: 'rate_limited' });
  });

  it('is not waited for once a run has ended', async () => {
    using bench = new Bench();
    const job = await bench.add(new FakeJob());
    expect(bench.clock.sleepers).toBe(1);
    job.run.end();
    await bench.runner.idle();
    expect(bench.clock.sleepers).toBe(0);
  });
});

describe('a run that takes long', () => {
  /** Seconds after the start of each line about the run, with what it says. */
  const watch = async (endsAfterS: number) => {
    const lines: [atS: number, message: string, fields: Record<string, unknown>][] = [];
    const log: Log = {
      ...silentLog,
      info: (fields, message) => lines.push([(bench.clock.now() - START) / SECOND, message, fields]),
      child: () => log,
    };
    using bench = new Bench({ log });
    const job = await bench.add(new FakeJob());
    for (let second = 0; second < endsAfterS; second += 1) bench.advance(SECOND);
    job.run.end();
    await bench.runner.idle();
    return lines;
  };

  it('is told of after 10 s, then ever more rarely, and at its end', async () => {
    const lines = await watch(100);
    expect(lines.map(([at, message]) => [at, message])).toEqual([
      [10, 'the run goes on'],
      [20, 'the run goes on'],
      [40, 'the run goes on'],
      [80, 'the run goes on'],
      [100, 'run finished'],
    ]);
    expect(lines[0]?.[2]).toEqual({ durationMs: 10 * SECOND, done: 0, total: undefined, unit: 'runs' });
    expect(lines.at(-1)?.[2]).toMatchObject({ durationMs: 100 * SECOND, result: 'ok' });
  });

  it('is no news before', async () => {
    expect(await watch(9)).toEqual([]);
  });
});

describe('a stop', () => {
  it('lets runs end by themselves, and aborts those that do not', async () => {
    using bench = new Bench();
    const quick = await bench.add(new FakeJob());
    const slow = await bench.add(new FakeJob({ collector: 'proxy_tests' }));
    const stopped = bench.runner.stop(5 * SECOND);
    bench.clock.advance(4 * SECOND);
    quick.run.end();
    await quick.run;
    expect(slow.run.signal.aborted).toBe(false);
    bench.clock.advance(SECOND);
    await stopped;
    expect(slow.run.signal.aborted).toBe(true);
    expect((await bench.state())?.result).toBe('ok');
    expect(await bench.state('proxy_tests')).toBeUndefined();
    expect(bench.ended).toEqual([['traffic', 'ok', 0]]);
  });

  it('is over at once when nothing runs', async () => {
    using bench = new Bench();
    await bench.runner.stop(5 * SECOND);
    expect(bench.clock.sleepers).toBe(0);
  });
});

describe('offsets', () => {
  const schedules: [string, number][] = [
    ['*/20 * * * * *', 4 * SECOND],
    ['* * * * *', 12 * SECOND],
    ['*/10 * * * *', MINUTE],
    ['0 3 * * *', MINUTE],
  ];
  /** How long after its slot a job is due. */
  const offsetOf = async ({ runner }: Bench, account: string, schedule: string): Promise<number> => {
    const job = new FakeJob({ account, schedules: [schedule] });
    await runner.add(job);
    const nextAt = runner.status()[0]?.nextAt ?? Number.NaN;
    await runner.remove(account, job.collector);
    return nextAt % (schedule.startsWith('*/20') ? 20 * SECOND : MINUTE);
  };

  it('are within a fifth of the interval and a minute, and always the same for a job', async () => {
    using bench = new Bench();
    const account = fc.string({ minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(account, fc.constantFrom(...schedules), async (name, [schedule, limit]) => {
        const offset = await offsetOf(bench, name, schedule);
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThan(limit);
        expect(await offsetOf(bench, name, schedule)).toBe(offset);
      }),
    );
  });

  it('spread accounts over what they may take', async () => {
    using bench = new Bench();
    for (let number = 0; number < 50; number += 1)
      await bench.add(new FakeJob({ account: `account-${number}` }));
    const seconds = new Set(bench.runner.status().map(({ nextAt }) => nextAt));
    expect(seconds.size).toBeGreaterThan(25);
  });
});
