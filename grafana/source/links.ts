// Builds links: from a dashboard to the others, from a row to its dashboard, and to configured addresses.

import {
  ConstantVariableBuilder,
  DashboardLinkBuilder,
  DashboardLinkType,
  type DynamicConfigValue,
  MappingType,
  VariableHide,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { ALERTS } from '../../src/alerts/table.ts';
import { VIEWS_BY_LABEL } from '../../src/page/address.ts';

export const TAG = 'proxywatch';

export const dashboardLinks = (): DashboardLinkBuilder =>
  new DashboardLinkBuilder('Dashboards')
    .type(DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(true)
    .includeVars(true)
    .keepTime(true);

/** The dashboards about one subject, by the label and variable that name the subject. */
const SUBJECTS: Readonly<Record<string, { uid: string; title: string }>> = {
  proxy_user_id: { uid: 'proxywatch-user', title: 'Show the user' },
  proxy_id: { uid: 'proxywatch-proxy', title: 'Show the proxy' },
};

const urlOf = (uid: string, account: string, subject = ''): string =>
  `/d/${uid}?var-account=\${${account}:percentencode}${subject}&var-datasource=\${datasource}&\${__url_time_range}`;

/** Links the cells with a user or proxy to the dashboard of that user or proxy. */
export const subjectLink = (label: string, accountHeading: string | undefined): DynamicConfigValue[] => {
  const subject = SUBJECTS[label];
  if (subject === undefined || accountHeading === undefined) return [];
  const value = `&var-${label}=\${__value.raw:percentencode}`;
  const url = urlOf(subject.uid, `__data.fields.${accountHeading}`, value);
  return [{ id: 'links', value: [{ title: subject.title, url }] }];
};

export const accountLink = (uid: string): DynamicConfigValue => ({
  id: 'links',
  value: [{ title: 'Show the account', url: urlOf(uid, '__value.raw') }],
});

/** The link of lines whose series name an account and a proxy. */
export const PROXY_OF_SERIES = {
  title: 'Show the proxy',
  url: urlOf(
    'proxywatch-proxy',
    '__field.labels.account',
    `&var-proxy_id=\${__field.labels.proxy_id:percentencode}`,
  ),
};

/** Adds the label `status_page` with the configured address. Without an address, Prometheus adds no label. */
export const withStatusPage = (expression: string): string =>
  `label_replace(${expression}, "status_page", "$status_page", "", "")`;

/** Adds the label `runbook` with the name of the alert, only if the address of the runbooks is configured. */
export const withRunbook = (expression: string): string =>
  `label_replace(label_join(label_replace(${expression}, "runbooks", "$runbooks", "", ""),` +
  ` "link", " ", "runbooks", "alertname"), "runbook", "$1", "link", ".+ (.+)")`;

/** The anchors of the runbooks are the names of the alerts in lower case. */
const ANCHORS = Object.fromEntries(ALERTS.map(({ name }) => [name, { text: name.toLowerCase() }]));

/** The properties of columns whose label is the name of a page outside Grafana. */
export const PAGE_PROPERTIES: Readonly<Record<string, DynamicConfigValue[]>> = {
  runbook: [
    { id: 'mappings', value: [{ type: MappingType.ValueToText, options: ANCHORS }] },
    {
      id: 'links',
      value: [{ title: 'Open the runbook', url: `\${runbooks:raw}#\${__value.text}`, targetBlank: true }],
    },
  ],
};

/** By label: the view of the status page that shows its subject. */
const VIEWS = { ...VIEWS_BY_LABEL, alertname: 'alert' } as const;
export type ViewLabel = keyof typeof VIEWS;

/**
 * The properties of the column with the address of the status page. It shows `Open` instead of the address, and leads to
 * the pages of these labels' subjects, or without labels to the account. A label that is no column is a variable.
 */
export const statusPageProperties = (
  labels: readonly ViewLabel[],
  headings: Readonly<Record<string, string>>,
): DynamicConfigValue[] => [
  { id: 'mappings', value: [{ type: MappingType.RegexToText, options: SHORT_ADDRESS }] },
  {
    id: 'links',
    value: labels.length === 0 ? [pageLink(headings)] : labels.map((label) => pageLink(headings, label)),
  },
];

const SHORT_ADDRESS = { pattern: '.+', result: { text: 'Open' } };

const pageLink = (headings: Readonly<Record<string, string>>, label?: ViewLabel) => {
  const macroOf = (name: string): string => {
    const heading = headings[name];
    return `\${${heading === undefined ? name : `__data.fields.${heading}`}:percentencode}`;
  };
  const view = label && VIEWS[label];
  const query = [
    `account=${macroOf('account')}`,
    ...(label === undefined ? [] : [`view=${view}`, `id=${macroOf(label)}`]),
    ...(view === 'user' && 'product_type' in headings ? [`type=${macroOf('product_type')}`] : []),
  ];
  const url = `\${__value.raw:raw}?${query.join('&')}`;
  return { title: `Open the ${view ?? 'account'}`, url, targetBlank: true };
};

/** Only the dashboard's JSON or its settings can change an address, so that a link cannot bring its own. */
const address = (name: string, label: string) => ({
  build: (): VariableModel => ({
    ...new ConstantVariableBuilder(name).label(label).value('').build(),
    hide: VariableHide.HideVariable,
    skipUrlSync: true,
  }),
});

export const addresses = () => [
  address('status_page', 'Address of the status page'),
  address('runbooks', 'Address of the page Alerts'),
];
