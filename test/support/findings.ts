// What the conditions of alerts find in a daemon: without holds, and without what explains them.

import type { AccountAlert, DaemonAlert, Evaluation, Finding } from '../../src/alerts/alert.ts';
import { configured } from '../../src/alerts/settings.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import type { Collector, CommonOptions } from '../../src/collectors/collector.ts';
import { stateOf } from '../../src/daemon/account-state.ts';
import type { Harness } from './harness.ts';

export const alertOf = (name: string): AccountAlert | DaemonAlert => {
  const alert = ALERTS.find((candidate) => candidate.name === name);
  if (!alert || alert.scope === 'outside') throw new Error(`${name} is not evaluated by the daemon`);
  return alert;
};

/** Of the first account; nothing where the alert is turned off. */
export const findingsOf = async (
  harness: Harness,
  name: string,
  waitingSince: ReadonlyMap<string, number> = new Map(),
): Promise<Finding[]> => {
  const alert = alertOf(name);
  if (alert.scope === 'account') return findingsOfAccount(harness, alert);
  const { isReloadSuccessful, store } = harness.app.metrics;
  const now = harness.clock.now();
  const { threshold } = configured(alert);
  const { writeFailures } = store;
  return [...alert.find({ now, isReloadSuccessful, writeFailures, waitingSince, threshold })];
};

const findingsOfAccount = async ({ app, clock }: Harness, alert: AccountAlert): Promise<Finding[]> => {
  const [running] = app.accounts;
  if (!running) throw new Error('the house has no account');
  const threshold = running.context.thresholds[alert.name];
  if (threshold === undefined) return [];
  const evaluation: Evaluation = {
    account: running.context,
    store: app.store,
    clock,
    options: <O extends CommonOptions>({ name }: Collector<O>) =>
      (running.settings[name] || undefined) as O | undefined,
    threshold,
    state: stateOf(running),
  };
  const findings: Finding[] = [];
  for await (const finding of alert.find(evaluation)) findings.push(finding);
  return findings;
};

/** Labels of what is found. */
export const foundBy = async (harness: Harness, name: string): Promise<Finding['labels'][]> =>
  (await findingsOf(harness, name)).map(({ labels }) => labels);
