// Returns the findings of alert conditions in a test's daemon, without holds and without suppression.

import type { AccountAlert, DaemonAlert, EvaluationContext, Finding } from '../../src/alerts/alert.ts';
import { configuredAlert } from '../../src/alerts/settings.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import type { Collector, CommonOptions } from '../../src/collectors/collector.ts';
import { accountStateOf } from '../../src/daemon/alerting-state.ts';
import type { Harness } from './harness.ts';

export const daemonAlert = (name: string): AccountAlert | DaemonAlert => {
  const alert = ALERTS.find((candidate) => candidate.name === name);
  if (!alert || alert.scope === 'outside') throw new Error(`${name} is not evaluated by the daemon`);
  return alert;
};

/** Returns the findings of the first account, or none if the alert is disabled. */
export const findingsOf = async (
  harness: Harness,
  name: string,
  waitingSince: ReadonlyMap<string, number> = new Map(),
): Promise<Finding[]> => {
  const alert = daemonAlert(name);
  if (alert.scope === 'account') return findingsOfAccount(harness, alert);
  const { isReloadSuccessful, store } = harness.app.metrics;
  const now = harness.clock.now();
  const { threshold } = configuredAlert(alert);
  const { writeFailures } = store;
  const unsentSince = new Map(
    harness.app.metrics.remoteWrite.receivers.flatMap(({ name, waitingSince: since }) =>
      since == null ? [] : [[name, since] as const],
    ),
  );
  const { overdueMs: backupOverdueMs, hasBackup } = harness.app.metrics.backups;
  const unproven = { unprovenReceivers: new Set<string>(), unprovenWriters: new Set<string>() };
  const waits = { waitingSince, unsentSince, ...unproven, backupOverdueMs, hasBackup };
  return [...alert.find({ now, isReloadSuccessful, writeFailures, ...waits, threshold })];
};

const findingsOfAccount = async ({ app, clock }: Harness, alert: AccountAlert): Promise<Finding[]> => {
  const [running] = app.accounts;
  if (!running) throw new Error('the harness has no account');
  const threshold = running.context.thresholds[alert.name];
  if (threshold === undefined) return [];
  const evaluation: EvaluationContext = {
    account: running.context,
    store: app.store,
    clock,
    options: <O extends CommonOptions>({ name }: Collector<O>) =>
      (running.settings[name] || undefined) as O | undefined,
    threshold,
    state: accountStateOf(running),
  };
  const findings: Finding[] = [];
  for await (const finding of alert.find(evaluation)) findings.push(finding);
  return findings;
};

/** Returns the labels of an alert's findings. */
export const findingLabels = async (harness: Harness, name: string): Promise<Finding['labels'][]> =>
  (await findingsOf(harness, name)).map(({ labels }) => labels);
