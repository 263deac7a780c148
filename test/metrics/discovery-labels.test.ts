// Tests that no label of a metric or an alert has the name of a label that service discovery adds to targets.

import { expect, it } from 'vitest';
import { ALERT_FAMILIES } from '../../src/alerts/families.ts';
import { SHARD_LABEL } from '../../src/alerts/receivers/routing-options.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import { FAMILIES } from '../../src/collectors/index.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { DISCOVERY_LABELS } from '../support/discovery-labels.ts';

const subjects = [
  ...[...FAMILIES, ...ALERT_FAMILIES, ...new DaemonMetrics({ version: '1', nodeVersion: '24' }).families],
  // ProxywatchDown is about a target of Prometheus, so its labels are those of the target.
  ...ALERTS.filter(({ scope }) => scope !== 'outside'),
  { name: 'alerts of a shard', labels: [SHARD_LABEL, 'alertname', 'account', 'severity'] },
];

it.each(subjects.map(({ name, labels }) => [name, labels] as const))('%s', (_, labels) => {
  expect(labels.filter((label) => label in DISCOVERY_LABELS || label.startsWith('exported_'))).toEqual([]);
});
