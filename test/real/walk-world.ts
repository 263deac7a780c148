// Starts a daemon over a small and over a large account. In both a proxy fails, a target blocks the proxies, and a tester
// fails.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { HOUR } from '../../src/lib/time.ts';
import { DEMO_PRODUCTS, demoScenario } from '../../src/simulator/demo-scenario.ts';
import { proxyAddress, userId, userPassword } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import { addStatusPage } from '../../src/status-page/routes.ts';
import { getText, Program, waitUntil } from '../cli/program.ts';
import { Harness, QuickClock } from '../support/harness.ts';
import { BLOCKED_TARGET, FAILING_TESTER, FAULTY_PROXY, proxyId, startLargePage } from './large-page.ts';

const TESTERS = ['london', 'paris', 'madrid', 'berlin'].map((id, index) => ({
  ...{ id, city_id: 100 + index, city_name: id, country_id: 'gb' },
}));
const URLS = [
  'https://www.example.com/',
  { name: BLOCKED_TARGET, url: 'https://shop.example/' },
  { name: 'api', url: 'https://api.example.com/' },
];

const OUTAGES: ScenarioInput['outages'] = [
  { kind: 'proxy', subject: proxyAddress(5).host },
  { kind: 'target', subject: 'shop.example' },
  { kind: 'tester', subject: FAILING_TESTER },
];

/** The account of the demo, with more users and proxies. */
const SCENARIO: ScenarioInput = { ...demoScenario, users: 40, proxies: 60 };

const scenarioWith = (outages: ScenarioInput['outages']): ScenarioInput => ({
  ...SCENARIO,
  testers: TESTERS,
  outages,
});

/** A tested proxy with a name of its own, by its index, so that the inventory knows it by another id. */
export const NAMED_PROXY = { name: 'shop-isp', index: 7 };

const { seed, proxies } = parseScenario(SCENARIO);

/** Most proxies fail on all testers. */
const PROVIDER_OUTAGE: ScenarioInput['outages'] = Array.from(
  { length: Math.ceil(proxies * 0.8) },
  (_, index) => ({
    kind: 'proxy',
    subject: proxyAddress(index).host,
  }),
);

const configuredProxies = () => {
  return Array.from({ length: proxies }, (_, index) => {
    const { host, httpPort } = proxyAddress(index);
    const proxy = `${host}:${httpPort}:${userId(0)}:${userPassword(seed, 0)}`;
    const name = index === NAMED_PROXY.index ? NAMED_PROXY.name : proxyId(index);
    return { name, product_type: 'isp', proxy };
  });
};

const schedule = '0 * * * *';

const account: Record<string, unknown> = {
  ...{
    traffic: {
      schedule,
      catch_up: '12h',
      reread: '1h',
      graphs: [{ name: 'shop', hostname: 'shop.example' }],
    },
    reconciliation: false,
  },
  ...{ proxy_users: { schedule }, residential_ledger: { schedule } },
  ...{ inventory: { schedule }, services: { schedule }, catalog: { schedule, alert_on: DEMO_PRODUCTS } },
  quotes: {
    schedule,
    items: DEMO_PRODUCTS.map((code) => ({ name: code, product_code: code, quantity: 10 })),
  },
  proxy_tests: { schedule, urls: URLS, proxies: configuredProxies() },
};

export interface WalkWorld extends AsyncDisposable {
  readonly account: string;
  /** A proxy that is always at fault. */
  readonly faultyProxy: string;
  /** The address of the page. */
  readonly url: string;
}

const MADE_UP = { account: 'main', faultyProxy: FAULTY_PROXY };

const STEPS = 4;
const STEP = 9 * HOUR;

export const startSmallWorld = (): Promise<WalkWorld> => startWorld(scenarioWith(OUTAGES));

/** The provider of the demo, while most proxies fail on all testers, and nobody can read the ledger. */
export const startProviderOutage = (): Promise<WalkWorld> =>
  startWorld(scenarioWith(PROVIDER_OUTAGE), 'residential_ledger/search');

/**
 * Polls the provider of the demo. The clock ends at the time of this machine, because the browser compares times with its
 * own clock.
 */
const startWorld = async (scenario: ScenarioInput, failing?: string): Promise<WalkWorld> => {
  const clock = new QuickClock(new Date(Date.now() - STEPS * STEP).toISOString());
  const harness = await Harness.build({
    ...{ now: '', clock, scenario, account, alerts: { evaluate: true } },
  });
  if (failing) harness.simulator.faults.add({ kind: 'status', status: 500, endpoint: failing });
  for (let step = 0; step < STEPS; step += 1) await harness.advance(STEP);
  const view = createView({ app: harness.app, clock, version: '1.2.3' });
  const server = await startHttpServer({
    // On the other clock, requests that wait for their turn would be turned away at once.
    ...{ listen: { host: '127.0.0.1', port: 0 }, view, clock: systemClock, log: silentLog },
    reload: async () => ({ result: 'no_file' }),
    addPage: addStatusPage,
  });
  return {
    ...MADE_UP,
    url: `http://127.0.0.1:${server.address.port}/`,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
};

/** Polling this many users and testing this many proxies takes minutes, so the store is filled directly. */
export const startLargeWorld = async (): Promise<WalkWorld> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-walk-'));
  const server = await startLargePage(folder, 100_000, 10_000);
  return {
    ...MADE_UP,
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

/**
 * The command `demo`, when its first runs have ended and its alerts have been evaluated. Its targets and testers fail only
 * at some times of the day.
 */
export const startDemo = async (): Promise<WalkWorld> => {
  const folder = await mkdtemp(join(tmpdir(), 'proxywatch-walk-'));
  const demo = Program.start(['demo', '--listen', '127.0.0.1:0', '--data', join(folder, 'data')]);
  const url = new URL('/', await demo.url()).href;
  await waitUntil(async () => (await fetch(`${url}-/ready`)).ok);
  await waitUntil(async () => (await getText(`${url}api/v1/alerts`)).includes('"ProxyFailing"'));
  return {
    ...{ account: 'demo', faultyProxy: 'datacenter-5', url },
    [Symbol.asyncDispose]: async () => {
      await demo[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};
