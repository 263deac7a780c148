// Runs a daemon that probes the simulated proxies over real sockets, while the simulated provider tests them too.

import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createView } from '../../src/daemon/http-view.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { silentLog } from '../../src/lib/log.ts';
import { MINUTE } from '../../src/lib/time.ts';
import type { ListedProxy } from '../../src/simulator/proxies/simulated-proxy.ts';
import { type SimulatorWithProxies, startSimulator } from '../../src/simulator/simulator.ts';
import { Harness, QuickClock } from '../support/harness.ts';
import { Line } from './line.ts';

const START = '2026-07-06T12:01:30Z';
const ROUND = 5 * MINUTE;
/** Enough for a fault of the provider. The product types take turns: datacenter, isp, residential, mobile. */
const PROXIES = 12;
const TESTERS = ['london', 'frankfurt'].map((id) => ({
  ...{ id, city_id: 100, city_name: id, country_id: 'gb' },
}));
/** The provider's testers and the probes have the same targets, which the simulated proxies resolve themselves. */
export const CHECK = { name: 'check', url: 'https://www.example.com/' };
export const SHOP = { name: 'shop', url: 'https://shop.example/' };

export type Json = Record<string, unknown>;
type Account = Record<string, unknown>;

export interface WorldOptions {
  /** The lines of the proxies as the probes know them. By default they are those of the tests. */
  readonly probed?: (proxies: readonly ListedProxy[]) => readonly string[];
  readonly probes?: Account;
  /** The product type of all proxies that are probed. By default each has its own. */
  readonly productType?: string;
  /** The names of the urls that are probed, each of which has a control. By default all of them. */
  readonly urls?: readonly string[];
  /** The path of controls that ask the target for an answer. By default they only open TLS with it. */
  readonly controlPath?: string;
  readonly tests?: Account | false;
}

export interface FailureCounts {
  readonly own: number;
  readonly others: number;
  readonly unattributed: number;
}

/** The line of a proxy in the configuration. */
export const lineOf = ({ host, port, username, password }: ListedProxy): string =>
  `http://${username}:${password}@${host}:${port}`;

const entries = (lines: readonly string[], proxies: readonly ListedProxy[]) =>
  lines.map((proxy, index) => ({
    ...{ name: `p${index}`, product_type: proxies[index]?.type, proxy },
  }));

export class World implements AsyncDisposable {
  readonly simulator: SimulatorWithProxies;
  /** The lines to the targets `check` and `shop` without a proxy, and one without TLS. */
  readonly lines: readonly [Line, Line, Line];
  readonly #harness: Harness;
  readonly #folder: string;

  private constructor(
    simulator: SimulatorWithProxies,
    lines: readonly [Line, Line, Line],
    harness: Harness,
    folder: string,
  ) {
    this.simulator = simulator;
    this.lines = lines;
    this.#harness = harness;
    this.#folder = folder;
  }

  static async build(options: WorldOptions = {}): Promise<World> {
    const clock = new QuickClock(START);
    // The account begins today, so that the simulator does not add up the traffic of earlier days.
    const scenario = { start: '2026-07-06T00:00:00Z', pace: null, proxies: PROXIES, testers: TESTERS };
    const simulator = await startSimulator({ scenario, now: () => clock.now(), proxies: {} });
    const { targets, ca } = simulator.proxies;
    const lines = [
      await Line.to(targets.https),
      await Line.to(targets.https),
      await Line.to(targets.http),
    ] as const;
    const folder = await mkdtemp(join(tmpdir(), 'proxywatch-'));
    writeFileSync(caFileIn(folder), ca);
    const account = accountOf(options, simulator.proxies.proxies, lines, caFileIn(folder));
    const harness = await Harness.build({
      ...{ now: START, clock, simulator, account, firstStepHold: '0s', alerts: { evaluate: true } },
    });
    return new World(simulator, lines, harness, folder);
  }

  /** Restarts the daemon with other settings. */
  async configure(options: WorldOptions): Promise<void> {
    const { proxies } = this.simulator.proxies;
    await this.#harness.restart(accountOf(options, proxies, this.lines, caFileIn(this.#folder)));
  }

  /** The names by which the simulator's faults know the proxy `p<index>`. */
  nameOf(index: number): string {
    const name = this.simulator.proxies.proxies[index]?.name;
    if (name === undefined) throw new Error(`there is no proxy ${index}`);
    return name;
  }

  async round(): Promise<void> {
    await this.#harness.advance(ROUND);
  }

  /** The faults of all testers, such as `proxy p3` and `access p3 local`. */
  async faults(): Promise<string[]> {
    return (await this.#harness.samples())
      .all('proxywatch_fault')
      .filter(({ value }) => value === 1)
      .map(({ labels: { kind, proxy_id, url, tester_server } }) =>
        [kind, proxy_id, url, tester_server].filter((label) => label !== '').join(' '),
      )
      .sort();
  }

  /** The alerts that fire, with the number of their subjects if there are several. */
  async alerts(): Promise<string[]> {
    const firing = ((await this.read('alerts')).data as Json[]).filter(({ state }) => state === 'firing');
    const byName = Map.groupBy(firing, ({ alert }) => String(alert));
    return [...byName].map(([name, { length }]) => (length === 1 ? name : `${name} × ${length}`)).sort();
  }

  /** The verdict about the proxy `p<index>`, and its text. */
  async verdict(index: number): Promise<readonly [word: string, text: string]> {
    const { verdict, verdict_text } = await this.read(`accounts/main/proxies/p${index}`);
    return [String(verdict), String(verdict_text)];
  }

  /** Whose failures the probes of the proxy `p<index>` had within 24 hours. */
  async failures(index: number): Promise<FailureCounts> {
    const { from_here } = await this.read(`accounts/main/proxies/p${index}`);
    const day = ((from_here as Json)['uptime'] as Record<string, Record<string, number>>)['24h'];
    const countOf = (whose: string): number => day?.[`${whose}_failures`] ?? Number.NaN;
    return { own: countOf('own'), others: countOf('other'), unattributed: countOf('unattributed') };
  }

  async read(path: string): Promise<Json> {
    const { app, clock } = this.#harness;
    await using server = await startHttpServer({
      ...{ listen: { host: '127.0.0.1', port: 0 }, view: createView({ app, clock, version: '1.2.3' }) },
      ...{ reload: async () => ({ result: 'no_file' as const }), clock, log: silentLog },
    });
    return (await (await fetch(`http://127.0.0.1:${server.address.port}/api/v1/${path}`)).json()) as Json;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#harness[Symbol.asyncDispose]();
    await this.simulator[Symbol.asyncDispose]();
    for (const line of this.lines) await line[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }
}

const caFileIn = (folder: string): string => join(folder, 'ca.pem');

const accountOf = (
  { probed, probes, tests, productType, urls = [CHECK.name, SHOP.name], controlPath }: WorldOptions,
  proxies: readonly ListedProxy[],
  [check, shop, plain]: readonly [Line, Line, Line],
  ca_file: string,
): Account => ({
  ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
  proxy_tests: tests !== false && {
    urls: [CHECK, SHOP],
    proxies: entries(proxies.map(lineOf), proxies),
    ...tests,
  },
  probes: {
    urls: [CHECK, SHOP]
      .filter(({ name }) => urls.includes(name))
      .map((target) => ({ ...target, depth: 'http', ca_file })),
    proxies: entries((probed ?? ((all) => all.map(lineOf)))(proxies), proxies).map((entry) => ({
      ...entry,
      product_type: productType ?? entry.product_type,
    })),
    control: {
      urls: [
        {
          name: CHECK.name,
          url: controlPath === undefined ? check.url : `${plain.url}${controlPath}`,
          ca_file,
        },
        {
          name: SHOP.name,
          url: controlPath === undefined ? shop.url : `${plain.url}${controlPath}`,
          ca_file,
        },
      ].filter(({ name }) => urls.includes(name)),
    },
    ...probes,
  },
});
