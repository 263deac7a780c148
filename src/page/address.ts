// Defines the addresses of the page's views. All of them are relative, so that a reverse proxy may serve the page below a path.

/** The views of long lists, with what they are called on the page. */
const LIST_VIEWS = {
  proxies: 'Tested proxies',
  inventory: 'Inventory',
  users: 'Proxy users',
  services: 'Services',
  failures: 'Failed tests',
  changes: 'Inventory changes',
  history: 'Alert history',
} as const;
export type ListView = keyof typeof LIST_VIEWS;

/** What each view is called on the page. The last ones show one subject, whose `id` is in their addresses. */
export const VIEW_NAMES = {
  account: 'Overview',
  ...LIST_VIEWS,
  invoice: 'Invoice',
  report: 'Report',
  ...{ proxy: 'Proxy', target: 'Target', tester: 'Tester', user: 'Proxy user', service: 'Service' },
  ...{ graph: 'Traffic', alert: 'Alert' },
} as const;
export type ViewName = keyof typeof VIEW_NAMES;
export const VIEWS = Object.keys(VIEW_NAMES) as readonly ViewName[];

/** The view of a subject by the label that has its id. The first label of an alert wins, also in notifications. */
export const VIEWS_BY_LABEL = {
  proxy_user_id: 'user',
  proxy_id: 'proxy',
  service_id: 'service',
  url: 'target',
  tester_server: 'tester',
  graph: 'graph',
} as const;

/** The sections of the overview by the ids of their headings, with what they are called. */
export const SECTIONS = {
  alerts: 'Alerts',
  collectors: 'Collectors',
  traffic: 'Traffic',
  quotas: 'Quotas',
  balance: 'Residential data',
  'mobile-balance': 'Mobile data',
  cost: 'Cost',
  usage: 'Charged use',
  errors: 'Why requests fail',
  tests: 'Proxy tests',
  market: 'Services and stock',
} as const;
export type Section = keyof typeof SECTIONS;

const TESTS = ['proxy_tests', 'probes'];

/** The collectors that read what a section shows; a section without them is always shown. */
export const SECTION_COLLECTORS: Readonly<Record<Section, readonly string[]>> = {
  alerts: [],
  collectors: [],
  traffic: ['traffic'],
  quotas: ['proxy_users'],
  balance: ['residential_ledger'],
  'mobile-balance': ['mobile_ledger'],
  cost: ['prices'],
  usage: ['usage'],
  errors: ['request_log'],
  tests: TESTS,
  market: ['services', 'quotes', 'catalog', 'customer', 'adjustments'],
};

/** The same for the views in the navigation besides the overview. */
export const NAVIGATION: Readonly<Record<ListView | 'invoice' | 'report', readonly string[]>> = {
  proxies: TESTS,
  inventory: ['inventory'],
  users: ['proxy_users'],
  services: ['services'],
  failures: TESTS,
  changes: ['inventory'],
  history: [],
  invoice: ['residential_ledger', 'mobile_ledger'],
  report: [],
};

/** Whether one of the collectors is on. `on` has the names of those that are; without it, all are. */
export const isMonitored = (collectors: readonly string[], on?: readonly string[]): boolean =>
  on === undefined || collectors.length === 0 || collectors.some((name) => on.includes(name));

export interface View {
  readonly account: string;
  readonly view: ViewName;
  /** The subject; empty for views without a subject, and for the graph of the whole account. */
  readonly id: string;
}

/** Returns the view that the parameters of an address name; null if there is no such view. */
export const viewOf = (parameters: Readonly<Record<string, unknown>>, account: string): View | null => {
  const { view = 'account', id = '' } = parameters;
  const found = VIEWS.find((name) => name === view);
  return found === undefined || typeof id !== 'string' ? null : { account, view: found, id };
};

export const addressOf = ({ account, view, id }: View): string => {
  // The page of an alert about the daemon has no account.
  const query = new URLSearchParams(account === '' ? {} : { account });
  if (view !== 'account') query.set('view', view);
  if (id !== '') query.set('id', id);
  return `?${query}`;
};
