// Tests the runner with jobs that the test controls, a fake clock and a real store.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/collectors/collector.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { ProviderError } from '../../src/provider/errors.ts';
import type { Job, RunnerResult } from '../../src/schedule/job.ts';
import type { AccountTrouble } from '../../src/schedule/outage-log.ts';
import { Runner } from '../../src/schedule/runner.ts';
import { delayOf } from '../../src/schedule/ticker.ts';
import type { RunState } from '../../src/store/account-store.ts';
import { StoreError } from '../../src/store/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { TestStore } from '../store/support.ts';
import { FakeClock } from '../support/fake-clock.ts';

const START = Date.parse('2026-07-06T12:01:30Z');
const SUCCESS: Outcome = { skipped: 0, failedParts: [] };

/** One run of a job. The test ends it; an aborted run ends by itself. */
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
  readonly renderAfter: readonly string[];
  rendered = 0;
  hasThrottledRequests = false;
  accountTrouble: AccountTrouble = {
    unansweredSince: undefined,
    refusedSince: undefined,
    rejectedSince: undefined,
  };

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
    this.renderAfter = shows;
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
    this.runs.push({ signal, end: (outcome = SUCCESS) => resolve(outcome), fail: reject });
    return promise;
  };

  render = async (): Promise<void> => {
    this.rendered += 1;
  };

  isThrottled = (): boolean => this.hasThrottledRequests;
  isProviderUnreached = (): boolean => false;
  trouble = (): AccountTrouble => this.accountTrouble;
}

/** Lets promises settle until the condition holds. */
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await yieldToEventLoop();
};

interface HarnessOptions {
  readonly log?: Log;
  readonly store?: (real: Store) => Store;
  readonly accounts?: number;
}

class RunnerHarness implements Disposable {
  readonly clock = new FakeClock(START);
  readonly ended: [collector: string, result: RunnerResult, skipped: number][] = [];
  readonly #files = new TestStore();
  readonly runner: Runner;

  constructor({ log = silentLog, store, accounts = 1 }: HarnessOptions = {}) {
    this.runner = new Runner({
      clock: this.clock,
      log,
      store: store?.(this.#files.store) ?? this.#files.store,
      countAccounts: () => accounts,
      onRun: ({ collector }, result, skipped) => this.ended.push([collector, result, skipped]),
    });
  }

  async add<J extends Job>(job: J): Promise<J> {
    await this.runner.add(job);
    return job;
  }

  /** Advances the clock and ticks as the daemon does. */
  advance(ms: number): void {
    this.clock.advance(ms);
    this.runner.tick();
    this.runner.logProgress();
  }

  async state(collector = 'traffic'): Promise<RunState | undefined> {
    return (await this.#files.store.runs.states('main')).find((state) => state.collector === collector);
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
  }
}

describe('many jobs', () => {
  it('start twenty per second in order, and a slot of a waiting job is not counted as skipped', async () => {
    using harness = new RunnerHarness();
    const jobs: FakeJob[] = [];
    for (let n = 0; n < 45; n += 1)
      jobs.push(await harness.add(new FakeJob({ account: `account-${n}`, schedules: ['* * * * * *'] })));
    const begun = (): number => jobs.filter(({ runs }) => runs.length > 0).length;
    const passSecond = async (): Promise<void> => {
      for (const job of jobs) job.runs.at(-1)?.end();
      await yieldToEventLoop();
      harness.advance(SECOND);
      await yieldToEventLoop();
    };
    expect(begun()).toBe(20);
    expect(jobs.findIndex(({ runs }) => runs.length === 0)).toBe(20);
    await passSecond();
    expect(begun()).toBe(40);
    await passSecond();
    expect(begun()).toBe(45);
    expect(jobs.slice(40).map(({ runs }) => runs.length)).toEqual([1, 1, 1, 1, 1]);
    expect(harness.ended.filter(([, result]) => result === 'skipped')).toEqual([]);
  });

  it('that wait for their start never start once they are removed or the runner stops', async () => {
    using harness = new RunnerHarness();
    const jobs: FakeJob[] = [];
    for (let n = 0; n < 22; n += 1) jobs.push(await harness.add(new FakeJob({ account: `account-${n}` })));
    await harness.runner.remove('account-20', 'traffic');
    const idle = harness.runner.idle();
    await harness.runner.stop(0);
    await idle;
    expect(jobs.slice(20).map(({ runs }) => runs.length)).toEqual([0, 0]);
  });
});

describe('a job', () => {
  it('runs immediately if it never ran, and then at its slots', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    expect(job.runs).toHaveLength(1);
    job.run.end();
    await harness.runner.idle();
    harness.advance(8 * MINUTE);
    expect(job.runs).toHaveLength(1);
    harness.advance(2 * MINUTE);
    expect(job.runs).toHaveLength(2);
  });

  it('runs at the slots of all its schedules', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob({ schedules: ['0 * * * *', '35 4 * * *', '*/20 * * * *'] }));
    for (let at = 0; at < HOUR; at += MINUTE) {
      job.run.end();
      await harness.runner.idle();
      harness.advance(MINUTE);
    }
    expect(job.runs).toHaveLength(1 + 3);
  });

  it('waits for running jobs of its account that are listed in `after`', async () => {
    using harness = new RunnerHarness();
    const ledger = await harness.add(new FakeJob({ collector: 'ledger' }));
    await harness.add(new FakeJob({ account: 'other', collector: 'ledger' }));
    const services = await harness.add(
      new FakeJob({ collector: 'services', after: ['ledger', 'inventory'] }),
    );
    await yieldToEventLoop();
    expect(services.runs).toHaveLength(0);
    ledger.run.fail(new Error('broken'));
    await until(() => services.runs.length === 1);
    expect(harness.ended).toEqual([['ledger', 'failed', 0]]);
    services.run.end();
    await until(() => harness.ended.length === 2);
    harness.advance(8 * MINUTE);
    harness.advance(2 * MINUTE);
    expect([ledger.runs.length, services.runs.length]).toEqual([2, 1]);
  });

  it('is rendered after the runs of jobs that are listed in `renderAfter`', async () => {
    using harness = new RunnerHarness();
    const tests = await harness.add(new FakeJob({ collector: 'tests' }));
    const inventory = await harness.add(new FakeJob({ collector: 'inventory', shows: ['tests'] }));
    const foreign = await harness.add(
      new FakeJob({ account: 'other', collector: 'inventory', shows: ['tests'] }),
    );
    tests.run.end();
    await until(() => harness.ended.length === 1);
    expect([tests, inventory, foreign].map(({ rendered }) => rendered)).toEqual([1, 1, 0]);
    inventory.run.end();
    await until(() => harness.ended.length === 2);
    expect([tests, inventory, foreign].map(({ rendered }) => rendered)).toEqual([1, 2, 0]);
  });

  it('has one run at a time: a slot during a run is skipped', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    harness.advance(10 * MINUTE);
    expect(job.runs).toHaveLength(1);
    expect(harness.ended).toEqual([['traffic', 'skipped', 0]]);
    job.run.end({ skipped: 3, failedParts: [] });
    await harness.runner.idle();
    harness.advance(10 * MINUTE);
    expect(job.runs).toHaveLength(2);
    expect(harness.ended.slice(1)).toEqual([['traffic', 'ok', 3]]);
  });

  it('does not run when it is added if its last run is recent, even if that failed', async () => {
    using harness = new RunnerHarness();
    const before = await harness.add(new FakeJob());
    before.run.fail(new Error('boom'));
    await harness.runner.idle();
    await harness.runner.remove('main', 'traffic');
    harness.clock.advance(9 * MINUTE);
    expect((await harness.add(new FakeJob())).runs).toHaveLength(0);
    await harness.runner.remove('main', 'traffic');
    harness.clock.advance(MINUTE);
    expect((await harness.add(new FakeJob())).runs).toHaveLength(1);
  });

  it('runs when it is added if the clock was set back to before its last run', async () => {
    using harness = new RunnerHarness();
    const before = await harness.add(new FakeJob());
    before.run.end();
    await harness.runner.idle();
    await harness.runner.remove('main', 'traffic');
    harness.clock.jumpTo(START - HOUR);
    expect((await harness.add(new FakeJob())).runs).toHaveLength(1);
  });

  it('is aborted when it is removed, and its run is not recorded', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    const removed = harness.runner.remove('main', 'traffic');
    expect(job.run.signal.aborted).toBe(true);
    await removed;
    harness.advance(HOUR);
    expect(job.runs).toHaveLength(1);
    expect(harness.runner.status()).toEqual([]);
    expect(harness.ended).toEqual([]);
    expect(await harness.state()).toBeUndefined();
  });

  it('that is removed stays until its run has ended, and starts no other run', async () => {
    using harness = new RunnerHarness();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const job = await harness.add(new FakeJob());
    // This run does not end when it is aborted.
    const stubborn = await harness.add(
      Object.assign(new FakeJob({ account: 'shop' }), { collect: () => promise }),
    );
    const removed = Promise.all([
      harness.runner.remove('main', 'traffic'),
      harness.runner.remove('shop', 'traffic'),
    ]);
    harness.advance(10 * MINUTE);
    expect(harness.ended).toEqual([]);
    await expect(harness.add(new FakeJob({ account: 'shop' }))).rejects.toThrow('added twice');
    const idle = harness.runner.idle().then(() => harness.runner.status());
    resolve(SUCCESS);
    await removed;
    expect([await idle, job.runs.length, stubborn.rendered]).toEqual([[], 1, 0]);
  });

  it('runs immediately with `atOnce`, and never once the runner has stopped', async () => {
    using harness = new RunnerHarness();
    const first = await harness.add(new FakeJob());
    first.run.end();
    await harness.runner.idle();
    await harness.runner.remove('main', 'traffic');
    const second = new FakeJob();
    await harness.runner.add(second, true);
    expect(second.runs).toHaveLength(1);
    await harness.runner.stop(0);
    expect((await harness.add(new FakeJob({ account: 'shop' }))).runs).toHaveLength(0);
  });

  it('reports its progress and its next run', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    harness.clock.advance(5 * SECOND);
    expect(harness.runner.status()).toMatchObject([
      {
        account: 'main',
        collector: 'traffic',
        runningSince: START,
        progress: { done: 0, total: undefined, unit: 'runs' },
        intervalMs: 10 * MINUTE,
      },
    ]);
    job.run.end();
    await harness.runner.idle();
    const [status] = harness.runner.status();
    expect(status).toMatchObject({ runningSince: null, progress: null });
    expect(status?.nextAt).toBeGreaterThanOrEqual(Date.parse('2026-07-06T12:10:00Z'));
    expect(status?.nextAt).toBeLessThan(Date.parse('2026-07-06T12:11:00Z'));
  });
});

describe('keys that were rejected', () => {
  const nightly = (collector: string, account = 'main') =>
    new FakeJob({ account, collector, schedules: ['0 3 * * *'] });
  const rejected = new ProviderError('auth', 'proxy_user/search', 'no');

  it('and work again make all jobs that failed because of them run at once, and only once', async () => {
    using harness = new RunnerHarness();
    const traffic = await harness.add(new FakeJob());
    const [users, foreign, down] = [nightly('users'), nightly('users', 'other'), nightly('catalog')];
    for (const job of [users, foreign, down]) await harness.add(job);
    for (const job of [traffic, users, foreign]) job.run.fail(rejected);
    down.run.fail(new ProviderError('server', 'checkout/catalog', 'no'));
    await harness.runner.idle();
    const runs = () => [users, foreign, down].map((job) => job.runs.length);
    harness.advance(10 * MINUTE);
    traffic.run.fail(rejected);
    await harness.runner.idle();
    expect(runs()).toEqual([1, 1, 1]);
    harness.advance(10 * MINUTE);
    traffic.run.end();
    await until(() => users.runs.length === 2);
    // This endpoint alone is forbidden, so it is not requested again at each success of another one.
    users.run.fail(rejected);
    await harness.runner.idle();
    harness.advance(10 * MINUTE);
    traffic.run.end();
    await harness.runner.idle();
    expect(runs()).toEqual([2, 1, 1]);
  });

  it('for one part alone cause no further runs when other parts succeed', async () => {
    using harness = new RunnerHarness();
    const traffic = await harness.add(new FakeJob());
    const users = await harness.add(nightly('users'));
    const ofOnePart = {
      skipped: 0,
      failedParts: [{ part: 'shop', error: rejected }],
      isSuccessDespiteFailures: true,
    };
    traffic.run.end(ofOnePart);
    users.run.fail(rejected);
    await harness.runner.idle();
    for (let run = 0; run < 3; run += 1) {
      harness.advance(10 * MINUTE);
      traffic.run.end(ofOnePart);
      await harness.runner.idle();
    }
    expect(users.runs).toHaveLength(1);
  });

  it('are remembered over a restart', async () => {
    using harness = new RunnerHarness();
    const [traffic, users] = [new FakeJob(), nightly('users')];
    for (const job of [traffic, users]) {
      await harness.add(job);
      job.run.fail(rejected);
    }
    await harness.runner.idle();
    for (const job of [traffic, users]) {
      await harness.runner.remove(job.account, job.collector);
      await harness.add(job);
    }
    expect(users.runs).toHaveLength(1);
    harness.advance(10 * MINUTE);
    traffic.run.end();
    await until(() => users.runs.length === 2);
    users.run.end();
    await harness.runner.idle();
    expect(await harness.state('users')).toMatchObject({ result: 'ok' });
  });
});

describe('an outcome', () => {
  it('is stored with its times, and rendered', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    harness.clock.advance(4 * SECOND);
    job.run.end();
    await harness.runner.idle();
    expect(await harness.state()).toEqual({
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
      wholeListingMs: 0,
      lastSuccessAt: START + 4 * SECOND,
      failures: 0,
    });
    expect(job.rendered).toBe(1);
  });

  it('with parts that failed is partial, with their errors', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    const failed = (part: string, kind: 'rejected' | 'timeout') => ({
      part,
      error: new ProviderError(kind, 'analytics/graph', 'no'),
    });
    job.run.end({ skipped: 1, failedParts: [failed('shop', 'rejected'), failed('isp', 'timeout')] });
    await harness.runner.idle();
    expect(await harness.state()).toMatchObject({
      result: 'partial',
      errorKind: 'rejected',
      errorMessage: 'shop: analytics/graph: no; isp: analytics/graph: no',
      failingParts: 2,
      lastSuccessAt: null,
    });
    expect(harness.ended).toEqual([['traffic', 'partial', 1]]);
  });

  it.each([
    ['of the provider has its kind', new ProviderError('auth', 'proxy_user/search', 'no'), 'auth'],
    ['of the store is internal', new StoreError('failed', 'no'), 'internal'],
    ['of any kind is internal', new TypeError('no'), 'internal'],
    ['that is no Error is internal', 'no', 'internal'],
  ])('that is an error %s', async (_, thrown, errorKind) => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    job.run.fail(thrown);
    await harness.runner.idle();
    expect(await harness.state()).toMatchObject({ result: 'failed', errorKind });
    expect((await harness.state())?.errorMessage).toContain('no');
    expect(job.rendered).toBe(1);
  });

  it('that is an error affects neither other jobs nor the next run', async () => {
    using harness = new RunnerHarness();
    const bad = await harness.add(new FakeJob());
    const good = await harness.add(new FakeJob({ collector: 'proxy_users' }));
    bad.run.fail(new Error('boom'));
    bad.render = () => Promise.reject(new Error('bang'));
    good.run.end();
    await harness.runner.idle();
    expect(harness.ended).toEqual([
      ['traffic', 'failed', 0],
      ['proxy_users', 'ok', 0],
    ]);
    harness.advance(10 * MINUTE);
    expect([bad.runs.length, good.runs.length]).toEqual([2, 2]);
    expect((await harness.state())?.failures).toBe(1);
  });

  it('that the store cannot save is logged, and the next run takes place', async () => {
    const lines: string[] = [];
    const log: Log = { ...silentLog, error: (_, message) => lines.push(message), child: () => log };
    const record = (): Promise<void> => Promise.reject(new StoreError('unwritable', 'disk full'));
    using harness = new RunnerHarness({
      log,
      store: (real) => ({ ...real, runs: { ...real.runs, record } }),
    });
    const job = await harness.add(new FakeJob());
    job.run.end();
    await harness.runner.idle();
    expect(lines).toEqual(['the result of the run could not be stored']);
    expect(harness.ended).toEqual([['traffic', 'ok', 0]]);
    harness.advance(10 * MINUTE);
    expect(job.runs).toHaveLength(2);
  });
});

describe('the deadline', () => {
  it.each([
    ['ten minutes under short schedules', '* * * * *', 10 * MINUTE],
    ['three intervals under long ones', '0 * * * *', 3 * HOUR],
  ])('is %s, and ends a run as a timeout', async (_, schedule, limit) => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob({ schedules: [schedule] }));
    harness.clock.advance(limit - 1);
    expect(job.run.signal.aborted).toBe(false);
    harness.clock.advance(1);
    await harness.runner.idle();
    expect(job.run.signal.aborted).toBe(true);
    expect(await harness.state()).toMatchObject({ result: 'failed', errorKind: 'timeout' });
  });

  it('counts as rate_limited if the provider asked for a slower pace', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    job.hasThrottledRequests = true;
    harness.clock.advance(30 * MINUTE);
    await harness.runner.idle();
    expect(await harness.state()).toMatchObject({ result: 'failed', errorKind: 'rate_limited' });
  });

  it('is not waited for once a run has ended', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    expect(harness.clock.sleepers).toBe(1);
    job.run.end();
    await harness.runner.idle();
    expect(harness.clock.sleepers).toBe(0);
  });
});

describe('a run that takes long', () => {
  /** Returns the log lines about the run, with the seconds since its start. */
  const watch = async (endsAfterS: number, quietMs?: number) => {
    const lines: [atS: number, message: string, fields: Record<string, unknown>][] = [];
    const log: Log = {
      ...silentLog,
      info: (fields, message) => lines.push([(harness.clock.now() - START) / SECOND, message, fields]),
      child: () => log,
    };
    using harness = new RunnerHarness({ log });
    const job = await harness.add(Object.assign(new FakeJob(), { quietMs }));
    for (let second = 0; second < endsAfterS; second += 1) harness.advance(SECOND);
    job.run.end();
    await harness.runner.idle();
    return lines;
  };

  it('is logged after 10 s, then at growing intervals, and at its end', async () => {
    const lines = await watch(100);
    expect(lines.map(([at, message]) => [at, message])).toEqual([
      [10, 'run still in progress'],
      [20, 'run still in progress'],
      [40, 'run still in progress'],
      [80, 'run still in progress'],
      [100, 'run finished'],
    ]);
    expect(lines[0]?.[2]).toEqual({ durationMs: 10 * SECOND, done: 0, total: undefined, unit: 'runs' });
    expect(lines.at(-1)?.[2]).toMatchObject({ durationMs: 100 * SECOND, result: 'ok' });
  });

  it('is not logged before that', async () => {
    expect(await watch(9)).toEqual([]);
  });

  it('is logged only after the time that its collector usually takes, and after at least 10 s', async () => {
    expect(await watch(44, 45 * SECOND)).toEqual([]);
    const lines = await watch(91, 45 * SECOND);
    expect(lines.map(([at]) => at)).toEqual([45, 90, 91]);
    expect((await watch(11, 1 * SECOND)).map(([at]) => at)).toEqual([10, 11]);
  });
});

describe('work between two runs', () => {
  it('waits for the run, and the next run waits for it, in its own slot', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    const done = Promise.withResolvers<void>();
    let begun = 0;
    const work = harness.runner.betweenRuns('main', 'traffic', async () => {
      begun += 1;
      await done.promise;
    });
    await yieldToEventLoop();
    expect(begun).toBe(0);
    job.run.end();
    await until(() => begun === 1);
    const rendered = job.rendered;
    harness.advance(10 * MINUTE);
    await yieldToEventLoop();
    expect(job.runs).toHaveLength(1);
    done.resolve();
    expect(await work).toBe(true);
    expect(job.rendered).toBe(rendered + 1);
    await until(() => job.runs.length === 2);
    job.run.end();
    await harness.runner.idle();
    expect(harness.ended).toEqual([
      ['traffic', 'ok', 0],
      ['traffic', 'ok', 0],
    ]);
  });

  it('rejects with what it throws, ends at a stop after the grace, and needs a job', async () => {
    using harness = new RunnerHarness();
    const job = await harness.add(new FakeJob());
    job.run.end();
    await harness.runner.idle();
    const failing = harness.runner.betweenRuns('main', 'traffic', async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    const ended = harness.runner.betweenRuns(
      ...(['main', 'traffic'] as const),
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const aborted = expect(ended).rejects.toThrow('proxywatch is stopping');
    await yieldToEventLoop();
    const stopped = harness.runner.stop(5 * SECOND);
    harness.clock.advance(5 * SECOND);
    await Promise.all([stopped, aborted]);
    expect(await harness.runner.betweenRuns('main', 'traffic', async () => {})).toBe(false);
  });
});

describe('a stop', () => {
  it('lets runs end by themselves, and aborts those that do not', async () => {
    using harness = new RunnerHarness();
    const quick = await harness.add(new FakeJob());
    const slow = await harness.add(new FakeJob({ collector: 'proxy_tests' }));
    const stopped = harness.runner.stop(5 * SECOND);
    harness.clock.advance(4 * SECOND);
    quick.run.end();
    await quick.run;
    expect(slow.run.signal.aborted).toBe(false);
    harness.clock.advance(SECOND);
    await stopped;
    expect(slow.run.signal.aborted).toBe(true);
    expect((await harness.state())?.result).toBe('ok');
    expect(await harness.state('proxy_tests')).toBeUndefined();
    expect(harness.ended).toEqual([['traffic', 'ok', 0]]);
  });

  it('ends immediately if nothing runs', async () => {
    using harness = new RunnerHarness();
    await harness.runner.stop(5 * SECOND);
    expect(harness.clock.sleepers).toBe(0);
  });
});

it('delays each run after its slot, for as long as the number of accounts asks for', async () => {
  using harness = new RunnerHarness({ accounts: 300 });
  const schedules = ['* * * * *', '*/5 * * * *'];
  for (const account of ['one', 'other'])
    for (const [n, schedule] of schedules.entries())
      await harness.add(new FakeJob({ account, collector: `c${n}`, schedules: [schedule] }));
  for (const { account, collector, nextAt, intervalMs } of harness.runner.status())
    expect(nextAt % intervalMs, account).toBe(delayOf(`${account}/${collector}`, intervalMs, 300));
});
