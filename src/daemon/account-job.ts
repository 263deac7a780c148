// Builds the job of a collector: opens it, runs it, and renders its metrics, also while a run waits after a 429.

import { exposeThresholds } from '../alerts/families.ts';
import {
  calledEndpoints,
  type ProbeSubject,
  type RequestedProbe,
  type TestNowRequest,
  type TestPlan,
  type TestSubject,
} from '../collectors/collector.ts';
import { exposeAccount, exposeRun, seriesDropped } from '../collectors/common-families.ts';
import type { AccountSettings, CollectorName, RunContext } from '../collectors/context.ts';
import { BackgroundTask } from '../lib/background-task.ts';
import type { SampleSink } from '../lib/family.ts';
import type { ExpositionPart } from '../metrics/exposition.ts';
import type { Probe } from '../prober/probe.ts';
import type { Contradiction } from '../provider/resources/graph-totals.ts';
import { RunWaits } from '../provider/run-waits.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Job } from '../schedule/job.ts';
import type { AccountClient } from './account-client.ts';
import { type FailureLog, logFailure, type Services } from './services.ts';
import type { collectorsOf } from './settings.ts';
import type { WrongServerLog } from './wrong-server.ts';

/** What all accounts of a daemon share. */
export interface AccountDependencies extends Services, FailureLog {
  /** Called after every request; `code` is an HTTP status, or `timeout`, `network` or `bad_response`. */
  readonly onRequest: (account: string, code: string) => void;
  readonly probe: Probe;
}

export interface AccountJob extends Job {
  readonly collector: CollectorName;
  /** Endpoints that the collector calls, named as in the label `api_endpoint`. */
  readonly endpoints: readonly string[];
  /** Creates the rows that the store must hold before the first run. Throws StoreError. */
  open(): Promise<void>;
  /** Makes one probe now; undefined if the collector makes none. Throws StoreError. */
  readonly probe: ((subject: ProbeSubject, signal: AbortSignal) => Promise<RequestedProbe>) | undefined;
  /** Undefined if the collector makes no tests. */
  readonly testNow:
    | {
        /** Returns undefined if the collector does not test the subject. Throws StoreError. */
        plan(subject: TestSubject): Promise<TestPlan | undefined>;
        /** To be called between two runs. Returns why tests were not made. Throws ProviderError and StoreError. */
        run(request: TestNowRequest, signal: AbortSignal, endsAt: number): Promise<readonly string[]>;
      }
    | undefined;
  /** Number of series that a cap left out at the last rendering; undefined if the collector has no cap. */
  readonly seriesDropped: number | undefined;
  /** Makes the next run open the collector again, because another configuration may have changed its rows. */
  reopenBeforeNextRun(): void;
}

const NOT_OPEN: TestPlan = {
  ...{ proxies: [], leftOut: null, testsPerProxy: null, price: null },
  refusal: 'the configuration was changed; try again after the next round of the schedule',
};

export type EnabledCollector = ReturnType<typeof collectorsOf>[number];

export const createJob = (
  account: AccountSettings,
  { collector, options }: EnabledCollector,
  client: AccountClient,
  accountLog: WrongServerLog,
  { store, clock, exposition, metrics, probe, isLogged }: AccountDependencies,
): AccountJob => {
  const readContext = { account, options, store, clock };
  const countContradiction = (endpoint: string, what: Contradiction): void =>
    metrics.answerInconsistent(account.name, endpoint, what);
  const collectorLog = accountLog.child({ collector: collector.name });
  const probeOnRequest = collector.probeOnRequest?.bind(collector);
  let isOpen = false;
  let state: unknown;
  let dropped: number | undefined;
  const runMetrics = new RunMetrics(
    { account: account.name, collector: collector.name },
    { exposition, store, log: collectorLog },
  );
  const open = async (): Promise<void> => {
    state = await collector.open?.(readContext);
    await store.runs.watch(account.name, collector.name, clock.now());
    isOpen = true;
  };
  type Context = RunContext<typeof options>;
  const withClient = async <T>(
    run: Pick<Context, 'signal' | 'progress'>,
    endsAt: number,
    work: (context: Context) => Promise<T>,
  ): Promise<T> => {
    if (await store.correctFutureTimes(clock.now(), account.name))
      collectorLog.warn(
        {},
        "this machine's clock went back, so proxywatch corrected the stored times that were in the future",
      );
    client.endpoints.tracker.clampFutureTimes();
    if (!isOpen) await open();
    const waits = runMetrics.runBegins();
    const context = { ...readContext, log: collectorLog, probe, countContradiction, ...run };
    try {
      return await client.use((client) => work({ ...context, client: client.forRun(endsAt, waits) }));
    } finally {
      await runMetrics.runEnded();
      await client.endpoints.save().catch((error) => {
        logFailure(
          { log: collectorLog, isLogged },
          error,
          'proxywatch could not store the state of the endpoints',
        );
      });
    }
  };
  const { testNow } = collector;
  return {
    account: account.name,
    collector: collector.name,
    log: collectorLog,
    endpoints: calledEndpoints(collector, options),
    after: collector.after ?? [],
    renderAfter: collector.showsDataOf ?? [],
    schedules: [options.schedule, ...(collector.schedules?.(options) ?? [])],
    zone: account.schedule_time_zone,
    quietMs: collector.quietMs?.(options),
    open,
    probe:
      probeOnRequest &&
      ((subject, signal) => probeOnRequest({ ...readContext, probe, signal }, state, subject)),
    get seriesDropped() {
      return dropped;
    },
    reopenBeforeNextRun: () => {
      isOpen = false;
    },
    collect: async (signal, progress, endsAt) => {
      let isFailed = true;
      try {
        const outcome = await withClient({ signal, progress }, endsAt, (context) =>
          collector.collect(context, state),
        );
        isFailed = false;
        return outcome;
      } finally {
        client.runEnded(collector.name, isFailed);
      }
    },
    testNow: testNow && {
      plan: async (subject) => (isOpen ? testNow.plan(readContext, state, subject) : NOT_OPEN),
      run: (request, signal, endsAt) =>
        withClient({ signal, progress: () => {} }, endsAt, (context) => testNow.run(context, state, request)),
    },
    render: async () => {
      await exposition.render({ collector: collector.name, account: account.name }, async (sink) => {
        await collector.expose(
          readContext,
          watchDroppedSeries(sink, (count) => {
            dropped = count;
          }),
          state,
        );
      });
      await runMetrics.render();
      await exposition.render({ collector: '', account: account.name }, async (sink) => {
        await exposeAccount(account, store, sink);
        exposeThresholds(account.thresholds, sink);
      });
    },
    get waitsUntil() {
      return runMetrics.waitsUntil;
    },
    isThrottled: () => client.isThrottled || client.isAnyRefused(collector.endpoints),
    isProviderUnreached: () => client.isUnreached,
    trouble: () => client.trouble,
  };
};

type Name = Pick<Job, 'account' | 'collector'>;

/** A part of their own, because a wait of a run changes none of the collector's other metrics. */
export const runPart = ({ account, collector }: Name): ExpositionPart => ({
  ...{ account, collector, section: 'run' },
});

type RunMetricsOptions = Pick<Services, 'exposition' | 'store' | 'log'>;

class RunMetrics {
  readonly #name: Name;
  readonly #options: RunMetricsOptions;
  readonly #rendering = new BackgroundTask(() => this.#tryRender());
  readonly #errorKinds = new Set<string>();
  #waits: RunWaits | undefined;

  constructor(name: Name, options: RunMetricsOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** The end of the pause for which the current run waits (ms since the epoch); undefined if it does not wait. */
  get waitsUntil(): number | undefined {
    return this.#waits?.current?.until;
  }

  /** Returns the waits of a run that begins. Whenever they change, the metrics are rendered. */
  runBegins(): RunWaits {
    this.#waits = new RunWaits(() => this.#rendering.start());
    return this.#waits;
  }

  /** Resolves when nothing is rendered any more. The caller renders the result of the run. */
  async runEnded(): Promise<void> {
    this.#waits = undefined;
    await this.#rendering.idle();
  }

  render(): Promise<void> {
    const { account, collector } = this.#name;
    const { exposition, store } = this.#options;
    return exposition.render(runPart(this.#name), (sink) =>
      exposeRun(account, collector, store, sink, this.#errorKinds, this.#waits?.current),
    );
  }

  async #tryRender(): Promise<void> {
    await this.render().catch((error) => {
      this.#options.log.error(
        { ...describeFailure(error) },
        'the metrics of a waiting run could not be rendered',
      );
    });
  }
}

/** Wraps the sink and reports the number of series that a cap left out when it passes through. */
const watchDroppedSeries = (sink: SampleSink, onDropped: (dropped: number) => void): SampleSink => ({
  sample: (family, labels, value) => {
    if (family.name === seriesDropped.name && typeof value === 'number') onDropped(value);
    sink.sample(family, labels, value);
  },
  histogram: (family, labels, value) => sink.histogram(family, labels, value),
  drain: () => sink.drain(),
  blocks: sink.blocks,
});
