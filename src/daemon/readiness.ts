// Whether the daemon is ready to get requests. A daemon that is not ready needs no restart: that is what /-/healthy is for.

import { configured } from '../alerts/settings.ts';
import { isStoreFailing, STORE_FAILING } from '../alerts/table/daemon.ts';
import type { App } from './app.ts';
import { changesOfAll } from './settings.ts';

/** The reasons against readiness, a sentence each. It writes nothing, so frequent requests cost little. */
export const createReadiness = (app: App): (() => Promise<readonly string[]>) => {
  let haveAllRun = false;
  return async () => {
    // Once every collector has finished a first run, this stays so: alerts report later failures.
    const untried = haveAllRun ? [] : await untriedIn(app);
    haveAllRun ||= untried.length === 0;
    return [...storeTrouble(app), ...untried];
  };
};

/** While the condition of StoreFailing holds, also where that alert is off. */
const storeTrouble = ({ settings, metrics }: App): string[] => {
  const { writeFailures } = metrics.store;
  const { threshold } = configured(STORE_FAILING, changesOfAll(settings.alerts));
  if (!isStoreFailing({ writeFailures, threshold })) return [];
  return [`the store ${settings.store.path} takes no writes: the last ${writeFailures} have failed`];
};

const untriedIn = async ({ accounts, store }: App): Promise<string[]> => {
  const reasons: string[] = [];
  for (const { name, jobs } of accounts) {
    const tried = new Set((await store.runs.states(name)).map(({ collector }) => collector));
    const waiting = jobs.filter(({ collector }) => !tried.has(collector));
    reasons.push(
      ...waiting.map(({ collector }) => `${name}: ${collector} has not finished its first run yet`),
    );
  }
  return reasons;
};
