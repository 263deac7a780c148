// Builds the variables that users choose at the top of a dashboard.

import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  TextBoxVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DATASOURCE } from './panel.ts';

const ALL = { text: ['All'], value: ['$__all'] };

export const datasource = (): DatasourceVariableBuilder =>
  new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus');

const withAll = (variable: QueryVariableBuilder): QueryVariableBuilder =>
  variable.multi(true).includeAll(true).current(ALL);

const labelValues = (name: string, label: string, series: string): QueryVariableBuilder => {
  const definition = `label_values(${series}, ${name})`;
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ qryType: 1, query: definition, refId: 'PrometheusVariableQueryEditor-VariableQuery' })
    .definition(definition)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc);
};

/**
 * One user or proxy. A part of its name narrows the list, because an account can have 100,000 of them.
 * For the same reason, Grafana reads the list only when the dashboard is opened, and not at every refresh.
 */
export const subject = (name: string, label: string, family: string): QueryVariableBuilder =>
  labelValues(name, label, `${family}{account=~"$account", ${name}=~\`.*\${${name}_part:regex}.*\`}`)
    .refresh(VariableRefresh.OnDashboardLoad)
    .multi(false)
    .includeAll(false);

export const partOf = (name: string, label: string): TextBoxVariableBuilder =>
  new TextBoxVariableBuilder(`${name}_part`).label(label).defaultValue('').current({ text: '', value: '' });

/** "All" matches any value, including the empty label of unknown values, and keeps the expressions short. */
export const choice = (name: string, label: string, series: string): QueryVariableBuilder =>
  withAll(labelValues(name, label, series)).allValue('.*');

export const account = (): QueryVariableBuilder =>
  choice('account', 'Account', 'proxywatch_collector_last_attempt_timestamp_seconds');

/** "All" lists the daemons by name, because other programs have metrics of process and Node.js too. */
export const instance = (): QueryVariableBuilder =>
  withAll(labelValues('instance', 'Daemon', 'proxywatch_build_info'));

/** The number of rows in lists of the highest or lowest values. */
export const limit = (): CustomVariableBuilder =>
  new CustomVariableBuilder('limit')
    .label('Rows')
    .values('10,25,50,100')
    .current({ text: '25', value: '25' });

/** The time over which ratios and quantiles of rare events are computed. */
export const window = (): CustomVariableBuilder =>
  new CustomVariableBuilder('window')
    .label('Window')
    .values('30m,1h,6h,1d')
    .current({ text: '1h', value: '1h' });

/** A regular expression, because a list of ten thousand names is not usable. */
export const pattern = (name: string, label: string): TextBoxVariableBuilder =>
  new TextBoxVariableBuilder(name).label(label).defaultValue('.*').current({ text: '.*', value: '.*' });
