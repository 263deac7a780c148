// Whether the daemon is ready: for those who send it requests, not for those who restart it.

import { configured } from './alerts/settings.ts';
import { isStoreFailing, STORE_FAILING } from './alerts/table/daemon.ts';
import type { App } from './app.ts';
import { changesOfAll } from './settings.ts';

/** Tells what speaks against it, a sentence each; writes nothing, so that asking often costs nothing. */
export const createReadiness = (app: App): (() => Promise<readonly string[]>) => {
  let wasThrough = false;
  return async () => {
    // A first pass that is through stays so: later failures of polls are the alerts' to tell.
    const untried = wasThrough ? [] : await untriedIn(app);
    wasThrough ||= untried.length === 0;
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
    reasons.push(...waiting.map(({ collector }) => `${name}: ${collector} has not ended a first run yet`));
  }
  return reasons;
};
