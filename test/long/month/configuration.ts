// Defines the configuration of the month's daemon on each day.

import { join } from 'node:path';
import { GRAPHS, urlsOn } from './account.ts';
import { POLLS } from './options.ts';

/** Schedules are coarser than the defaults. Each of them has a slot at 04:35, after which counters equal the truth. */
const OFTEN = `35 */${2 / POLLS} * * *`;
const SELDOM = `35 */${4 / POLLS} * * *`;
/** After the deep reread. */
const THREE_HOURLY = '38 1-22/3 * * *';

export interface Surroundings {
  readonly folder: string;
  readonly providerUrl: string;
  readonly receiverUrl: string;
}

/**
 * Receivers and the second account take turns between a few names, because the daemon keeps its own counters of removed
 * ones in case they come back. Everything else that comes and goes never returns.
 */
const NAMES = 5;

/** Returns the configuration of a day. Graphs, orders and URLs have new names each day. */
export const configurationOn = (day: number, surroundings: Surroundings): object => ({
  server: { listen: '127.0.0.1:0' },
  store: {
    path: join(surroundings.folder, 'store', 'proxywatch.db'),
    retention: { raw: '2d', hourly: '4d', daily: '8d' },
  },
  alerts: { receivers: receiversOn(day, surroundings), DataStale: { threshold: 3 + (day % 2) } },
  accounts: [mainAccountOn(day, surroundings), secondAccountOn(day, surroundings)],
});

const receiversOn = (day: number, { receiverUrl }: Surroundings): object[] => [
  { type: 'webhook', name: 'team', url: `${receiverUrl}/team`, secret: 'signature' },
  { type: 'webhook', name: `team-${day % NAMES}`, url: `${receiverUrl}/slack`, template: 'slack' },
  { type: 'heartbeat', url: `${receiverUrl}/heartbeat`, every: '1h' },
  // It gets all firing alerts every minute, which takes time. The compared days contain one such day each.
  ...(day % 7 === 4 ? [{ type: 'alertmanager', urls: [receiverUrl] }] : []),
];

const accessOf = ({ folder, providerUrl }: Surroundings): object => ({
  base_url: providerUrl,
  public_key_file: join(folder, 'public-key'),
  private_key_file: join(folder, 'private-key'),
  requests_per_second: 1_000_000,
  request_timeout: '5s',
});

const mainAccountOn = (day: number, surroundings: Surroundings): object => ({
  name: 'main',
  ...accessOf(surroundings),
  traffic: {
    schedule: `5,${OFTEN}`,
    ...{ catch_up: '36h', reread: '2h', deep_reread: { schedule: '35 4 * * *', span: '36h' } },
    graphs: [
      ...Object.entries(GRAPHS).map(([name, { options }]) => ({ name, ...options })),
      { name: `day-${day}`, hostname: 'api.example.com', schedule: OFTEN },
    ],
  },
  residential_ledger: { schedule: OFTEN },
  proxy_users: { schedule: OFTEN },
  reconciliation: { schedule: THREE_HOURLY },
  proxy_tests: {
    schedule: OFTEN,
    ...{ urls: urlsOn(day), series: 'matrix', max_runs_per_day: 4_500 },
    proxies: [{ search: {} }, { file: join(surroundings.folder, 'proxies.txt') }],
  },
  inventory: { schedule: SELDOM },
  services: { schedule: SELDOM },
  catalog: { schedule: SELDOM, alert_on: ['isp_gb'] },
  quotes: {
    schedule: SELDOM,
    items: [
      { name: 'isp', product_code: 'isp_gb', quantity: 10 },
      { name: `order-${day}`, product_type: 'isp', country_id: 'de', quantity: 1 },
    ],
  },
  geography: { schedule: SELDOM, asns: [64_500 + (day % 100)], cities: [202], subdivisions: ['fr-idf'] },
});

const secondAccountOn = (day: number, surroundings: Surroundings): object => ({
  name: `second-${day % NAMES}`,
  ...accessOf(surroundings),
  ...{ residential_ledger: false, reconciliation: false },
  traffic: { schedule: SELDOM, catch_up: '1h', reread: '1h', deep_reread: { span: '1h' }, graphs: [] },
  proxy_users: { schedule: SELDOM, select: { top: 3 } },
});
