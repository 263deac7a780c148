// Runs a daemon with all collectors enabled against the simulated provider, with its HTTP server.

import { expect } from 'vitest';
import { optionalSections } from '../../../src/collectors/index.ts';
import { createView } from '../../../src/daemon/http-view.ts';
import { type HttpServer, startHttpServer } from '../../../src/http/server.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { proxyAddress, userId, userPassword } from '../../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../../src/simulator/scenario.ts';
import { addStatusPage } from '../../../src/status-page/routes.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';

export const START = '2026-07-05T12:01:30Z';

const SCENARIO: ScenarioInput = {
  start: '2026-07-03T00:00:00Z',
  users: 12,
  services: 3,
  proxies: 8,
  testers: ['london', 'paris'].map((id) => ({ id, city_id: 1, city_name: id, country_id: 'gb' })),
  ledger: { per_service: true, top_up_every_days: 2 },
};
const { seed } = parseScenario(SCENARIO);

const proxyLine = (index: number): string => {
  const { host, httpPort } = proxyAddress(index);
  return `${host}:${httpPort}:${userId(0)}:${userPassword(seed, 0)}`;
};

export const ALL_COLLECTORS: Record<string, unknown> = {
  ...optionalSections({ schedule: '0 * * * *' }),
  traffic: {
    schedule: '0 * * * *',
    catch_up: '37h',
    reread: '6h',
    graphs: [{ name: 'residential', product_type: 'residential' }],
  },
  residential_ledger: { schedule: '0 * * * *' },
  usage: { schedule: '0 * * * *', history_days: 2, reread_days: 2 },
  prices: { schedule: '0 * * * *', residential: 3.5, mobile: 6 },
  proxy_users: { schedule: '0 * * * *' },
  proxy_tests: {
    schedule: '0 * * * *',
    urls: ['https://shop.example/?token=t0ken'],
    proxies: [0, 1, 2].map((index) => ({ name: `fr-${index + 1}`, proxy: proxyLine(index) })),
  },
  catalog: { schedule: '0 * * * *', alert_on: ['isp_xx'] },
  quotes: {
    schedule: '0 * * * *',
    items: [
      { name: 'isp-gb', product_code: 'isp_gb', quantity: 10 },
      { name: 'isp-de', product_type: 'isp', locations: [{ country_id: 'de', quantity: 1 }] },
    ],
  },
  geography: { schedule: '0 * * * *', asns: [64_500], cities: [202], subdivisions: ['fr-idf'] },
};

const buildHarness = (
  scenario: ScenarioInput,
  account: Record<string, unknown>,
  options: Partial<HarnessOptions>,
): Promise<Harness> =>
  Harness.build({
    now: START,
    scenario: { ...SCENARIO, ...scenario },
    account: { ...ALL_COLLECTORS, ...account },
    // With threshold 0 this alert fires for every collector.
    alerts: { evaluate: true, CollectorFailing: { threshold: 0 } },
    ...options,
  });

export type Json = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly etag: string | null;
}

const REPLACED_PROXY = {
  kind: 'proxy',
  subject: 6,
  set: { proxy_ip_address: '192.0.2.6', asn_id: 64_510 },
} as const;

/** Returns the required parameters of a route, with values that the daemon knows. */
export const requiredQuery = (path: string): string => {
  if (path.endsWith('uptimes/hours')) return '?id=fr-1';
  return path.endsWith('alerts/notices') ? '?alert=CollectorFailing' : '';
};

/** A daemon, and requests to its API. */
export class ApiHarness implements AsyncDisposable {
  readonly harness: Harness;
  readonly #server: HttpServer;

  private constructor(harness: Harness, server: HttpServer) {
    this.harness = harness;
    this.#server = server;
  }

  static async build(
    scenario: ScenarioInput = {},
    account: Record<string, unknown> = {},
    options: Partial<HarnessOptions> = {},
  ): Promise<ApiHarness> {
    const harness = await buildHarness(scenario, account, options);
    const { app, clock } = harness;
    const server = await startHttpServer({
      addPage: addStatusPage,
      listen: { host: '127.0.0.1', port: 0 },
      view: createView({ app, clock, version: '1.2.3' }),
      reload: async () => ({ result: 'no_file' }),
      clock,
      log: silentLog,
    });
    return new ApiHarness(harness, server);
  }

  /** Runs for a bit more than a day, in which one tested proxy fails and a proxy of the inventory is replaced. */
  async run(hours = 26): Promise<void> {
    const { simulator } = this.harness;
    for (let hour = 0; hour < hours; hour += 1) {
      if (hour === 2) simulator.outages.add({ kind: 'proxy', subject: proxyAddress(2).host });
      if (hour === 3) simulator.changes.add(REPLACED_PROXY);
      await this.harness.advance(HOUR);
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.address.port}`;
  }

  async request(path: string, known = ''): Promise<Answer> {
    const response = await fetch(`${this.url}/api/v1/${path}`, { headers: { 'if-none-match': known } });
    const text = await response.text();
    const body = text === '' ? {} : (JSON.parse(text) as Json);
    return { status: response.status, body, etag: response.headers.get('etag') };
  }

  async answer(path: string): Promise<Json> {
    const { status, body } = await this.request(path);
    expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
    return body;
  }

  async items(path: string): Promise<Json[]> {
    return (await this.answer(path)).data as Json[];
  }

  /** Returns all items of a list, read in pages of `limit`. */
  async allPages(path: string, limit: number): Promise<Json[]> {
    const found: Json[] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(cursor ? { cursor: String(cursor) } : {}),
      });
      const { data, next_cursor } = await this.answer(`${path}${path.includes('?') ? '&' : '?'}${query}`);
      found.push(...(data as Json[]));
      cursor = next_cursor;
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.harness[Symbol.asyncDispose]();
  }
}
