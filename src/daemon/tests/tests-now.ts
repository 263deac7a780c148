// Makes the tests that users ask for, one at a time for each account, between two runs of the collectors that make them.

import type { TestNowResult, TestPlan, TestSubject } from '../../collectors/collector.ts';
import type { CollectorName } from '../../collectors/context.ts';
import type { Refusal } from '../../http/alert-view.ts';
import type { PlannedTest, RequestedTest, TestNowView } from '../../http/daemon-view.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { describeFailure } from '../../schedule/failure.ts';
import type { Runner } from '../../schedule/runner.ts';
import type { RunningAccount } from '../account.ts';

const RELOADED = 'the configuration was changed, or the daemon is stopping';

export interface TestsNowOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly runner: Pick<Runner, 'betweenRuns' | 'status'>;
  readonly accounts: () => readonly RunningAccount[];
}

type Test = { -readonly [K in keyof RequestedTest]: RequestedTest[K] };

export class TestsNow implements TestNowView {
  readonly #options: TestsNowOptions;
  readonly #tests = new Map<string, Test>();
  /** Accounts whose test begins. */
  readonly #starting = new Set<string>();

  constructor(options: TestsNowOptions) {
    this.#options = options;
  }

  last(account: string): RequestedTest | undefined {
    return this.#tests.get(account);
  }

  async plan(account: string, subject: TestSubject): Promise<PlannedTest[]> {
    const plans: PlannedTest[] = [];
    for (const { collector, testNow } of this.#jobsOf(account)) {
      const plan = await testNow?.plan(subject);
      if (plan) plans.push({ ...plan, collector: collector as CollectorName });
    }
    return plans;
  }

  async start(account: string, subject: TestSubject): Promise<RequestedTest | Refusal | undefined> {
    const running = this.#tests.get(account);
    if (this.#starting.has(account) || running?.finishedAt === null)
      return { refusal: busy(account, running) };
    this.#starting.add(account);
    try {
      const plans = await this.plan(account, subject);
      if (plans.length === 0) return undefined;
      const possible = plans.filter(({ refusal }) => refusal === null);
      if (possible.length === 0) return { refusal: plans.map(({ refusal }) => refusal).join('. ') };
      return this.#begin(account, subject, possible);
    } finally {
      this.#starting.delete(account);
    }
  }

  nextRoundAt(account: string): number | null {
    const testing = new Set<string>(
      this.#jobsOf(account).flatMap((job) => (job.testNow ? job.collector : [])),
    );
    const rounds = this.#options.runner.status(account).filter(({ collector }) => testing.has(collector));
    return rounds.length === 0 ? null : Math.min(...rounds.map(({ nextAt }) => nextAt));
  }

  #begin(account: string, subject: TestSubject, plans: readonly PlannedTest[]): RequestedTest {
    const { clock, log } = this.#options;
    const test: Test = {
      ...{ subject, requestedAt: clock.now(), startedAt: null, finishedAt: null, results: [] },
      total: totalOf(plans),
      errors: plans.flatMap(({ leftOut }) => leftOut ?? []),
    };
    this.#tests.set(account, test);
    log.info({ account, ...subject }, 'a user asked for tests now');
    void Promise.all(plans.map((plan) => this.#make(account, test, plan))).then(() => {
      test.finishedAt = clock.now();
    });
    return test;
  }

  /** Never rejects. */
  async #make(account: string, test: Test, { collector, proxies }: PlannedTest): Promise<void> {
    const { clock, log, runner } = this.#options;
    const onResults = (results: readonly TestNowResult[]): void => {
      test.results = [...test.results, ...results.map((result) => ({ ...result, collector }))];
    };
    const fail = (...errors: readonly string[]): void => {
      test.errors = [...test.errors, ...errors];
    };
    try {
      const isKnown = await runner.betweenRuns(account, collector, async (signal, endsAt) => {
        test.startedAt ??= clock.now();
        const job = this.#jobsOf(account).find((each) => each.collector === collector);
        const request = { subject: test.subject, proxies, onResults };
        fail(...((await job?.testNow?.run(request, signal, endsAt)) ?? []));
      });
      if (!isKnown) fail(RELOADED);
    } catch (error) {
      const { message, ...failure } = describeFailure(error);
      fail(message);
      log.warn({ account, collector, ...failure, error: message }, 'tests that a user asked for failed');
    }
  }

  #jobsOf(account: string): RunningAccount['jobs'] {
    return this.#options.accounts().find(({ name }) => name === account)?.jobs ?? [];
  }
}

const totalOf = (plans: readonly TestPlan[]): number | null =>
  plans.some(({ testsPerProxy }) => testsPerProxy === null)
    ? null
    : plans.reduce((sum, { proxies, testsPerProxy }) => sum + proxies.length * (testsPerProxy ?? 0), 0);

const busy = (account: string, test: RequestedTest | undefined): string =>
  `a test of ${test && test.finishedAt === null ? `the ${test.subject.kind} ${test.subject.id}` : 'another subject'} is in progress, and the account ${account} makes one at a time`;
