// Says in a few words what each alert reports, which cause it belongs to, whose fault the cause is, and what to do first.

import { count } from '../format.ts';

interface CauseText {
  /** Whose fault the cause is. */
  readonly fault: string;
  /** What to do first. */
  readonly next: string;
}

const cause = (fault: string, next: string): CauseText => ({ fault, next });

/** The most urgent first: the page shows causes in this order. */
export const CAUSES = {
  store: cause('proxywatch', 'free space on the disk of the store, and check its rights'),
  keys: cause('your API keys', 'compare the keys of the account with those that the provider shows'),
  unreachable: cause(
    'the provider, or your network',
    'check your network, DNS and firewall, then see whether the provider reports an outage',
  ),
  provider: cause('the provider', 'see whether the provider reports an outage, and wait'),
  balance: cause('your balance', 'buy data'),
  mobileBalance: cause('your balance', 'buy mobile data'),
  spending: cause('your budget', 'limit the users that cost the most, or raise the budget'),
  services: cause(
    'your services',
    'renew, pay or resume the services, or ask the provider for missing proxies',
  ),
  traffic: cause('not known', 'see which graph or source differs, and since when'),
  proxies: cause('the proxies', 'if it lasts, ask the provider to replace them'),
  here: cause('the access from here', 'check the network, addresses and passwords of this machine'),
  targets: cause('the targets', 'open them without a proxy; if they work, use other proxies'),
  logins: cause(
    'not known',
    'ask the owners of the users; if nobody knows the addresses, change the passwords',
  ),
  quotas: cause('the quotas', 'raise them, or silence those that are meant to stop a user'),
  tests: cause('not known', 'compare the errors of the failed tests'),
  budget: cause('the test budget', 'test fewer proxies, or less often'),
  limits: cause(
    'your limits',
    'stop other programs that send requests for the account, or lower requests_per_second',
  ),
  rights: cause('the rights of your API keys', 'ask the provider to permit them, or turn off the collector'),
  // What is limited or forbidden explains why a collector fails.
  collectors: cause('not known', 'read the error of the collector'),
  configuration: cause('the configuration', 'run check-config, and correct the errors in the file'),
  receivers: cause('the receiver', 'check whether it runs, and its address and password'),
  backup: cause('the disk of the backups', 'free space on the disk, and check the rights of the folder'),
  daemon: cause('proxywatch', 'read its log'),
  series: cause('the limit of series', 'nothing, or raise the limit if you need all series'),
  stock: cause('the provider’s stock, or the order', 'order another product, correct the order, or wait'),
  testers: cause('the provider’s testers', 'nothing; if it lasts, report them to the provider'),
} as const satisfies Readonly<Record<string, CauseText>>;
export type CauseId = keyof typeof CAUSES;

export const CAUSE_IDS = Object.keys(CAUSES) as CauseId[];

type Words = readonly [cause: CauseId, one: string, many?: string];

/** A # is the number of alerts. */
export const ALERT_WORDS: Readonly<Record<string, Words>> = {
  ProviderKeysRejected: ['keys', 'the provider rejects the API keys'],
  ProviderEndpointForbidden: ['rights', '# endpoint is forbidden', '# endpoints are forbidden'],
  ProviderUnreachable: ['unreachable', 'the provider does not answer'],
  ProviderRateLimited: ['limits', 'the provider limits the requests'],
  ProviderOutage: ['provider', 'the provider fails for most proxies'],
  CollectorFailing: ['collectors', '# collector fails', '# collectors fail'],
  PartsFailing: ['collectors', '# collector fails in part', '# collectors fail in part'],
  DataStale: ['collectors', '# collector has old data', '# collectors have old data'],
  ItemsSkipped: ['collectors', '# collector skips items', '# collectors skip items'],
  SeriesDropped: ['series', '# collector has too many series', '# collectors have too many series'],
  TrafficDataLate: ['traffic', 'the traffic data is late'],
  ProxyFailing: ['proxies', '# proxy is at fault', '# proxies are at fault'],
  ProxyPlacedElsewhere: ['proxies', 'others place proxies in other countries'],
  ProxiesFailing: ['proxies', 'many proxies of # type fail', 'many proxies of # types fail'],
  ExitAddressWrong: ['proxies', '# proxy has a wrong address', '# proxies have wrong addresses'],
  ProxyTargetBlocked: ['targets', '# target fails', '# targets fail'],
  ProxyTesterFailing: ['testers', '# tester fails', '# testers fail'],
  ProxyTestsInconclusive: ['tests', '# target fails with unknown cause', '# targets fail with unknown cause'],
  ProbesInconclusive: ['tests', 'probes of # target fail', 'probes of # targets fail'],
  ProxyTestsStale: ['collectors', '# proxy is not tested', '# proxies are not tested'],
  TestBudgetExhausted: ['budget', 'the budget of tests is used up'],
  TestQuotaRefused: ['budget', 'the provider refuses tests'],
  ProbesFailingHere: ['here', 'all probes from here fail'],
  ProxyUnusableHere: ['here', '# proxy is unusable from here', '# proxies are unusable from here'],
  TrafficErrorRatioHigh: ['traffic', 'many requests fail', 'many requests of # graphs fail'],
  RequestErrorsHigh: ['traffic', 'many requests fail for # reason', 'many requests fail for # reasons'],
  TrafficStopped: ['traffic', 'too few requests arrive', 'too few requests of # graphs arrive'],
  ReconciliationDiffers: ['traffic', 'the sources of traffic differ', '# pairs of sources differ'],
  ResidentialBalanceExhausted: ['balance', 'the residential balance is used up'],
  ResidentialBalanceLow: ['balance', 'the residential balance is low'],
  ResidentialBalanceExhaustionSoon: ['balance', 'the residential balance ends soon'],
  MobileBalanceExhausted: ['mobileBalance', 'the mobile balance is used up'],
  MobileBalanceLow: ['mobileBalance', 'the mobile balance is low'],
  MobileBalanceExhaustionSoon: ['mobileBalance', 'the mobile balance ends soon'],
  SpendAboveBudget: ['spending', 'a budget is exceeded', '# budgets are exceeded'],
  UnknownClientAddress: ['logins', '# login is used from elsewhere', '# logins are used from elsewhere'],
  ProxyUserQuotaExhausted: ['quotas', '# quota is used up', '# quotas are used up'],
  ProxyUserQuotaLow: ['quotas', '# quota is low', '# quotas are low'],
  ProxyUserQuotaExhaustionSoon: ['quotas', '# quota ends soon', '# quotas end soon'],
  ServiceExpiringSoon: ['services', '# service expires', '# services expire'],
  ServiceNotActive: ['services', '# service is not active', '# services are not active'],
  ServicePaused: ['services', '# service is paused', '# services are paused'],
  ServiceProxiesMissing: ['services', '# service lacks proxies', '# services lack proxies'],
  ServicePendingCancellation: [
    'services',
    '# service has a pending cancellation',
    '# services have a pending cancellation',
  ],
  CreditBelowRenewals: ['services', 'the store credit does not cover the renewals'],
  ProductOutOfStock: ['stock', '# product is out of stock', '# products are out of stock'],
  QuoteInvalid: ['stock', '# order is not possible', '# orders are not possible'],
  StoreFailing: ['store', 'the store takes no writes'],
  ReloadFailed: ['configuration', 'the configuration was not loaded'],
  NotificationsFailing: [
    'receivers',
    '# receiver takes no notifications',
    '# receivers take no notifications',
  ],
  RemoteWriteFailing: ['receivers', '# receiver takes no history', '# receivers take no history'],
  BackupFailing: ['backup', 'the backup is overdue'],
};

/** An alert of another version of the daemon has only its name. */
const unknownWords = (alert: string): Words => ['daemon', `# ${alert}`];

export const wordsOf = (alert: string, amount: number): string => {
  const [, one, many = one] = ALERT_WORDS[alert] ?? unknownWords(alert);
  return (amount === 1 ? one : many).replace('#', count(amount));
};

export const causeOf = (alert: string): CauseId => (ALERT_WORDS[alert] ?? unknownWords(alert))[0];
