// Builds the settings of the demo, and those of its replay. Keeps the start of the account's history next to its store.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionalSections } from '../../collectors/index.ts';
import type { ListenAddress } from '../../config/network.ts';
import { type Account, type Settings, settingsSchema } from '../../daemon/settings.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import { DEMO_PRODUCTS, demoProxies } from '../../simulator/demo-scenario.ts';
import type { SimulatorWithProxies } from '../../simulator/simulator.ts';

export const demoSettings = (
  { baseUrl, publicKey, privateKey, proxies }: SimulatorWithProxies,
  path: string,
  listen: ListenAddress,
  caFile: string,
): Settings => {
  const settings = settingsSchema.parse({
    store: { path },
    log: { format: 'pretty' },
    alerts: { evaluate: true },
    accounts: [
      {
        name: 'demo',
        base_url: baseUrl,
        public_key: publicKey,
        private_key: privateKey,
        ...optionalSections(),
        traffic: {
          expect: { min_requests: 1 },
          graphs: [
            ...['datacenter', 'isp', 'residential', 'mobile'].map((type) => ({
              name: type,
              product_type: type,
            })),
            { name: 'shop', hostname: 'shop.example', expect: { min_requests: 1 } },
          ],
        },
        usage: { top_users: 5 },
        prices: { residential: 3.5, mobile: 6, budget: { day: 500, month: 10_000 } },
        // The first counted minutes show soon.
        request_log: {
          ...{ schedule: '* * * * *', settle: '1m' },
          client_addresses: { allow: ['198.51.100.0/24'], store_networks: true },
        },
        proxy_users: { labels_from_metadata: ['team'] },
        proxy_tests: {
          urls: ['https://www.example.com/', { name: 'shop', url: 'https://shop.example/health?token=demo' }],
          proxies: demoProxies(proxies.proxies),
        },
        probes: demoProbes(proxies, caFile),
        catalog: { alert_on: DEMO_PRODUCTS },
        quotes: {
          items: DEMO_PRODUCTS.map((code) => ({ name: code, product_code: code, quantity: 10 })),
        },
        inventory: { max_geolocations_per_day: 200 },
        geography: {
          ...{ asns: [64_500, 64_501], cities: [200, 201], subdivisions: ['gb-eng', 'fr-idf'] },
          availability: { residential: ['gb', 'fr'], mobile: ['gb'] },
        },
      },
    ],
  });
  return { ...settings, server: { ...settings.server, listen } };
};

/** The simulated target has a certificate of the simulator's own authority, and its names exist at the proxies only. */
const demoProbes = ({ targets }: SimulatorWithProxies['proxies'], caFile: string) => ({
  // Faults show after two rounds, which a visitor does not want to wait for.
  schedule: '* * * * *',
  timeout: '5s',
  urls: [
    { url: 'https://www.example.com/', ca_file: caFile },
    {
      ...{ name: 'shop', url: 'https://shop.example/health?token=demo', ca_file: caFile },
      ...{ depth: 'http', expect: { status: 200 } },
    },
  ],
  control: { urls: [{ name: 'target', url: `${targets.https}/health`, ca_file: caFile }] },
  exit: { url: 'https://check.example/ip.json', ca_file: caFile },
});

/** The same accounts at a high pace, so that days of polls take seconds, and reading back only as far as a step needs. */
export const replaySettings = (settings: Settings): Settings => ({
  ...settings,
  accounts: settings.accounts.map(forReplay),
});

/** Read four times a day: the provider keeps their history, or they hardly change. */
const RARELY_READ = [
  ...(['residential_ledger', 'mobile_ledger', 'customer', 'usage', 'prices', 'adjustments'] as const),
  ...(['catalog', 'quotes', 'geography', 'inventory', 'services'] as const),
];
const RARELY = { schedule: '0 */6 * * *' };

const readRarely = (account: Account): Partial<Account> =>
  Object.fromEntries(
    RARELY_READ.filter((name) => account[name]).map((name) => [name, { ...account[name], ...RARELY }]),
  );

const forReplay = (account: Account): Account => ({
  ...account,
  ...readRarely(account),
  requests_per_second: 1_000,
  // The daemon that serves compares these days as soon as it starts.
  reconciliation: false,
  // A probe takes real time, and a silent proxy all of its timeout.
  probes: false,
  // To count three days takes longer than all others together.
  request_log: false,
  traffic: account.traffic && {
    ...account.traffic,
    ...RARELY,
    // Longer than the time between two reads plus the reread, so that no minute is left out.
    catch_up: 9 * HOUR,
    reread: HOUR,
    deep_reread: { ...account.traffic.deep_reread, span: HOUR },
  },
});

const HISTORY_MS = 30 * DAY;

/** Returns the start of the account's history (ms), and whether the folder has no store yet. Throws the system's error. */
export const loadDemoAccount = (folder: string, now: number) => {
  const file = join(folder, 'account-since');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return { start: Date.parse(readFileSync(file, 'utf8').trim()), isNew: false };
  } catch {
    const start = Math.floor((now - HISTORY_MS) / DAY) * DAY;
    writeFileSync(file, `${new Date(start).toISOString()}\n`, { mode: 0o600 });
    return { start, isNew: true };
  }
};
