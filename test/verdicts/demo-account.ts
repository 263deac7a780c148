// Knows what fails in the demo's account and when, and answers probes as its simulated proxies do, without sockets.

import { refusalOf } from '../../src/prober/causes.ts';
import type { ProbeRequest, ProbeResult } from '../../src/prober/probe.ts';
import { activeOutage } from '../../src/simulator/faults/outages.ts';
import { proxyFailure } from '../../src/simulator/faults/test-outcome.ts';
import { memoizeByObject } from '../../src/simulator/memoize.ts';
import { CODES, classOfCode } from '../../src/simulator/proxies/codes.ts';
import { faultOfKind } from '../../src/simulator/proxies/proxy-faults.ts';
import type { ListedProxy } from '../../src/simulator/proxies/simulated-proxy.ts';
import type { InventoryProxy } from '../../src/simulator/resources/proxies.ts';
import { demoScenario, parseScenario, type SimulatorWithProxies } from '../../src/simulator/simulator.ts';
import { failed, passed } from '../collectors/probes/fake-probe.ts';

export const SHOP = 'shop.example';
const scenario = parseScenario(demoScenario);

/**
 * - refused, silent: the proxy is down, by an outage or an incident. removed: the account does not have it any more.
 * - credentials, quota: it refuses the probes with a code. The provider's testers pass.
 */
export type State = 'healthy' | 'refused' | 'silent' | 'removed' | 'credentials' | 'quota';

export class DemoAccount {
  readonly #simulator: SimulatorWithProxies;
  readonly #byEndpoint: ReadonlyMap<string, ListedProxy>;

  constructor(simulator: SimulatorWithProxies) {
    this.#simulator = simulator;
    this.#byEndpoint = new Map(
      simulator.proxies.proxies.map((proxy) => [`${proxy.host}:${proxy.port}`, proxy]),
    );
  }

  get proxies(): readonly ListedProxy[] {
    return this.#simulator.proxies.proxies;
  }

  get testers(): readonly string[] {
    return scenario.testers.map(({ id }) => id);
  }

  /** `at` is a time in ms, as below. */
  stateOf(proxy: ListedProxy, at: number): State {
    if (!this.#rowOf(proxy, at)) return 'removed';
    const failure = proxyFailure(scenario, this.#simulator.outages.list, namesOf(proxy), proxy.name, at);
    if (failure) return failure.code === 'connection_timeout' ? 'silent' : 'refused';
    const code = this.#codeOf(proxy, at);
    if (code === undefined) return 'healthy';
    return refusal(code).failure?.cause === 'quota' ? 'quota' : 'credentials';
  }

  isTargetDown(host: string, at: number): boolean {
    return activeOutage(this.#simulator.outages.list, 'target', [host], at) !== undefined;
  }

  isTesterDown(id: string, at: number): boolean {
    return activeOutage(this.#simulator.outages.list, 'tester', [id], at) !== undefined;
  }

  answer({ proxy: endpoint, target }: ProbeRequest, at: number): ProbeResult {
    // Without a proxy, only the control is asked, which works.
    if (!endpoint) return passed;
    const proxy = this.#byEndpoint.get(`${endpoint.host}:${endpoint.port}`);
    if (!proxy) throw new Error(`the demo has no proxy at ${endpoint.host}:${endpoint.port}`);
    const state = this.stateOf(proxy, at);
    if (state === 'refused' || state === 'removed') return failed('connect', 'refused');
    if (state === 'silent') return failed('tunnel', 'timeout', { proxyAnswer: null });
    const code = this.#codeOf(proxy, at);
    if (code !== undefined) return refusal(code);
    if (this.isTargetDown(new URL(target.url.reveal()).hostname, at)) return refusal(CODES.refusedTarget);
    const { proxy_ip_address: ip, country_id: country } = this.#rowOf(proxy, at) ?? {};
    return target.returnsBody ? { ...passed, body: JSON.stringify({ ip, country }) } : passed;
  }

  #rowOf({ proxyId }: ListedProxy, at: number) {
    return rowsById(this.#simulator.truth.proxies(at)).get(proxyId);
  }

  #codeOf(proxy: ListedProxy, at: number): number | undefined {
    return faultOfKind(this.#simulator.proxies.faults.active(namesOf(proxy), '', at), 'code')?.code;
  }
}

const rowsById = memoizeByObject(
  (rows: readonly InventoryProxy[]) =>
    new Map<unknown, InventoryProxy>(rows.map((row) => [row.proxy_id, row])),
);

/** The host and the host with its port, by which scenarios name a proxy. */
const namesOf = ({ name }: ListedProxy): string[] => [name, name.slice(0, name.lastIndexOf(':'))];

const refusal = (code: number): ProbeResult => {
  const answer = { status: classOfCode(code)?.status ?? 500, code: String(code), requestId: null };
  return failed('tunnel', refusalOf(answer, true).cause, { proxyAnswer: answer });
};
