// Builds the table of firing alerts, with links to their runbooks and to the status page.

import { ALL_ALERTS, firingAlerts, SUBJECT_LABELS } from './alerts.ts';
import { withRunbook } from './links.ts';
import { table } from './table.ts';

interface AlertTableOptions {
  readonly description: string;
  readonly selector?: string;
  /** The labels of the subjects that the table shows. */
  readonly subjectLabels?: readonly string[];
}

export const alertTable = ({
  description,
  selector = ALL_ALERTS,
  subjectLabels = SUBJECT_LABELS,
}: AlertTableOptions) =>
  table({
    title: 'Firing alerts',
    description: `${description} The table shows at most 100 alerts.`,
    width: 24,
    noValue: 'no firing alerts',
    labels: {
      alertname: 'Alert',
      severity: 'Severity',
      account: 'Account',
      ...Object.fromEntries(subjectLabels.map((label) => [label, label.replaceAll('_', ' ')])),
      runbook: 'Runbook',
    },
    statusPage: ['alertname'],
    columns: {
      Firing: {
        expr: `topk(100, ${firingWithRunbook(selector, subjectLabels)})`,
        unit: 'short',
      },
    },
  });

const firingWithRunbook = (selector: string, subjectLabels: readonly string[]): string =>
  `max by (${['alertname', 'severity', 'account', ...subjectLabels, 'runbook'].join(', ')}) (` +
  `${withRunbook(firingAlerts(selector, subjectLabels))})`;
