// Builds the job of a collector of an account: opens it, runs it, and renders its metrics.

import { exposeThresholds } from '../alerts/families.ts';
import type { ProbeSubject, RequestedProbe } from '../collectors/collector.ts';
import { exposeAccount } from '../collectors/common-families.ts';
import type { AccountSettings, CollectorName } from '../collectors/context.ts';
import type { Probe } from '../prober/probe.ts';
import type { Contradiction } from '../provider/resources/graph-totals.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Job } from '../schedule/job.ts';
import type { AccountClient } from './account-client.ts';
import { watchDroppedSeries } from './account-state.ts';
import { RunMetrics } from './run-metrics.ts';
import type { Services } from './services.ts';
import type { collectorsOf } from './settings.ts';
import type { WrongServerLog } from './wrong-server.ts';

/** What all accounts of a daemon share. */
export interface AccountDependencies extends Services {
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
  /** Number of series that a cap left out at the last rendering; undefined if the collector has no cap. */
  readonly seriesDropped: number | undefined;
  /** Makes the next run open the collector again, because another configuration may have changed its rows. */
  reopenBeforeNextRun(): void;
}

export type EnabledCollector = ReturnType<typeof collectorsOf>[number];

export const createJob = (
  account: AccountSettings,
  { collector, options }: EnabledCollector,
  client: AccountClient,
  accountLog: WrongServerLog,
  { store, clock, exposition, metrics, probe }: AccountDependencies,
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
  return {
    account: account.name,
    collector: collector.name,
    log: collectorLog,
    endpoints: collector.endpoints,
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
      if (await store.correctFutureTimes(clock.now(), account.name))
        collectorLog.warn(
          {},
          "this machine's clock went back, so proxywatch corrected the stored times that were in the future",
        );
      client.endpoints.tracker.clampFutureTimes();
      if (!isOpen) await open();
      let isFailed = true;
      const waits = runMetrics.runBegins();
      try {
        const outcome = await client.use((client) =>
          collector.collect(
            {
              ...readContext,
              client: client.forRun(endsAt, waits),
              log: collectorLog,
              signal,
              probe,
              progress,
              countContradiction,
            },
            state,
          ),
        );
        isFailed = false;
        return outcome;
      } finally {
        client.runEnded(collector.name, isFailed);
        await runMetrics.runEnded();
        await client.endpoints.save().catch((error) => {
          collectorLog.error(
            { ...describeFailure(error) },
            'proxywatch could not store the state of the endpoints',
          );
        });
      }
    },
    render: async () => {
      await exposition.render({ collector: collector.name, account: account.name }, async (sink) => {
        await collector.expose(
          readContext,
          watchDroppedSeries(sink, (count) => {
            dropped = count;
          }),
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
