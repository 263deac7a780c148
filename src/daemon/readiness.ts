// Decides whether the daemon is ready for requests. A daemon that is not ready needs no restart; /-/healthy says when it does.

import { configuredAlert } from '../alerts/settings.ts';
import { isStoreFailing, STORE_FAILING_ALERT } from '../alerts/table/daemon.ts';
import type { App } from './app.ts';
import { globalAlertChanges } from './settings.ts';

/** Returns the reasons why the daemon is not ready. It writes nothing, so frequent requests cost little. */
export const createReadiness = (app: App): (() => Promise<readonly string[]>) => {
  let haveAllCollectorsRun = false;
  return async () => {
    // Once every collector has finished a first run, this stays so: alerts report later failures.
    const pendingRuns = haveAllCollectorsRun ? [] : await pendingFirstRuns(app);
    haveAllCollectorsRun ||= pendingRuns.length === 0;
    return [...storeReasons(app), ...pendingRuns];
  };
};

/** Applies while the condition of StoreFailing holds, even if that alert is turned off. */
const storeReasons = ({ settings, metrics }: App): string[] => {
  const { writeFailures } = metrics.store;
  const { threshold } = configuredAlert(STORE_FAILING_ALERT, globalAlertChanges(settings.alerts));
  if (!isStoreFailing({ writeFailures, threshold })) return [];
  return [`the store ${settings.store.path} rejects writes: the last ${writeFailures} have failed`];
};

const pendingFirstRuns = async ({ accounts, store }: App): Promise<string[]> => {
  const reasons: string[] = [];
  for (const { name, jobs } of accounts) {
    const finished = new Set((await store.runs.states(name)).map(({ collector }) => collector));
    const waiting = jobs.filter(({ collector }) => !finished.has(collector));
    reasons.push(
      ...waiting.map(({ collector }) => `${name}: ${collector} has not finished its first run yet`),
    );
  }
  return reasons;
};
