// Builds the marks on the time axis: firing alerts, added bytes, changes of the inventory, and adjustments of services.

import { AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { ALL_ALERTS, firingAlerts } from './alerts.ts';
import { ACCOUNT_SELECTOR } from './expressions.ts';
import { DATASOURCE } from './panel.ts';

interface Marks {
  readonly name: string;
  /** Grafana marks the times at which the value is above 0. */
  readonly expr: string;
  readonly title: string;
  readonly text: string;
  readonly color: string;
  readonly enabled: boolean;
  readonly tags?: string;
}

const STEP = '60s';

/** The query is given twice, because some versions of Grafana read it from the annotation, and others from its target. */
const marks = ({ name, expr, title, text, color, enabled, tags = '' }: Marks): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(enabled)
    .iconColor(color)
    .expr(expr)
    .step(STEP)
    .target(new DataqueryBuilder().datasource(DATASOURCE).refId('Anno').expr(expr).interval(STEP).range())
    .titleFormat(title)
    .textFormat(text)
    .tagKeys(tags);

/** Counters change in steps, so the window must contain at least two scrapes. */
const growth = (name: string, labels: string): string =>
  `sum by (account, ${labels}) (increase(${name}{${ACCOUNT_SELECTOR}}[$__rate_interval]))`;

/**
 * Alerts have one mark for all their subjects. Changes of the inventory and adjustments are off at first, because there can be
 * many.
 */
export const annotations = (alertSelector: string = ALL_ALERTS): AnnotationQueryBuilder[] => [
  marks({
    name: 'Alerts',
    expr: `count by (alertname, severity, account) (${firingAlerts(alertSelector)})`,
    title: '{{alertname}}',
    text: '{{account}}',
    color: 'red',
    enabled: true,
    tags: 'severity',
  }),
  marks({
    name: 'Added bytes',
    expr: growth('proxywatch_residential_ledger_added_bytes_total', 'reason'),
    title: 'Residential bytes added: {{reason}}',
    text: '{{account}}',
    color: 'green',
    enabled: true,
  }),
  marks({
    name: 'Inventory changes',
    expr: growth('proxywatch_inventory_changes_total', 'change'),
    title: 'Inventory change: {{change}}',
    text: '{{account}}',
    color: 'blue',
    enabled: false,
  }),
  marks({
    name: 'Adjustments',
    expr: growth('proxywatch_service_adjustments_total', 'type, status, by'),
    title: 'Adjustment: {{type}}, {{status}}',
    text: '{{account}}, by {{by}}',
    color: 'purple',
    enabled: false,
  }),
];
