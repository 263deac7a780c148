// Starts the simulated provider as a plain HTTP server whose account changes with the injected clock.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { isIPv6 } from 'node:net';
import { SECOND } from '../lib/time.ts';
import { Faults } from './faults/faults.ts';
import { HttpError } from './http.ts';
import { type Provider, simulatedProvider, type Truth } from './provider.ts';
import { openListeners } from './proxies/listener.ts';
import { type ProxyOptions, type SimulatedProxies, startProxies } from './proxies/proxies.ts';
import { documentedAddresses, listeningAddresses } from './proxies/simulated-proxy.ts';
import { RequestLog } from './request-log.ts';
import { parseScenario, type Scenario, type ScenarioInput } from './scenario.ts';
import { serve } from './serve.ts';

export { demoScenario } from './demo-scenario.ts';
export { FIRST_PROXY_PORT } from './identities.ts';
export { parseScenario, type Scenario, type ScenarioInput, scenarioSchema } from './scenario.ts';

export interface SimulatorOptions {
  readonly scenario?: ScenarioInput;
  /** The clock in milliseconds since the epoch. Everything except delays uses it. */
  readonly now: () => number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Starts the account's proxies, gateways and a target on loopback. By default nothing but the API listens. */
  readonly proxies?: ProxyOptions | undefined;
}

export interface Simulator extends AsyncDisposable {
  /** For example `http://127.0.0.1:8080/1.0`. */
  readonly baseUrl: string;
  /** The only keys that the account has. A test sets others to rotate them. */
  publicKey: string;
  privateKey: string;
  readonly truth: Truth;
  readonly faults: Faults;
  /** Proxies, testers and targets that fail in proxy tests. */
  readonly outages: Provider['outages'];
  /** Proxies, users, services and products that are removed, added or changed. */
  readonly changes: Provider['changes'];
  readonly requests: RequestLog;
  /** Undefined unless the options start them. */
  readonly proxies: SimulatedProxies | undefined;
}

export interface SimulatorWithProxies extends Simulator {
  readonly proxies: SimulatedProxies;
}

/** Throws ZodError if the scenario is invalid, and the server's error if it cannot listen. */
export function startSimulator(
  options: SimulatorOptions & { readonly proxies: ProxyOptions },
): Promise<SimulatorWithProxies>;
export function startSimulator(options: SimulatorOptions): Promise<Simulator>;
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { now, host = '127.0.0.1', port = 0 } = options;
  const scenario = parseScenario(options.scenario ?? {});
  const { provider, proxies } = await startProvider(scenario, now, options.proxies);
  const [faults, requests] = [new Faults(scenario.seed), new RequestLog()];
  const checkRateLimit = createRateLimiter(scenario.pace);
  const closing = new AbortController();
  const keys = { publicKey: scenario.public_key, privateKey: scenario.private_key };
  const context = {
    ...{ ...provider, scenario, keys, now, faults, requests, checkRateLimit, proxies },
    closing: closing.signal,
  };
  const server = createServer((request, response) => {
    // A request ends early when the server closes or the client disconnects, so there is no client to answer.
    serve(context, request, response).catch(() => response.destroy());
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await proxies?.[Symbol.asyncDispose]();
    throw error;
  }
  return Object.assign(keys, {
    baseUrl: `http://${authority(host, server.address())}/1.0`,
    truth: provider.truth,
    outages: provider.outages,
    changes: provider.changes,
    ...{ faults, requests, proxies },
    async [Symbol.asyncDispose]() {
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await proxies?.[Symbol.asyncDispose]();
    },
  });
}

/** The proxies listen before the account is made, because the account lists their addresses. */
const startProvider = async (
  scenario: Scenario,
  now: () => number,
  options: ProxyOptions | undefined,
): Promise<{ provider: Provider; proxies: SimulatedProxies | undefined }> => {
  if (!options)
    return { provider: simulatedProvider(scenario, now, documentedAddresses), proxies: undefined };
  const listeners = await openListeners(scenario.proxies, options);
  const addresses = listeningAddresses(listeners.proxies.map(({ endpoint }) => endpoint));
  const provider = simulatedProvider(scenario, now, addresses);
  return { provider, proxies: await startProxies({ ...provider, scenario, now }, listeners, options) };
};

const authority = (host: string, address: ReturnType<ReturnType<typeof createServer>['address']>): string => {
  const port = typeof address === 'object' ? address?.port : undefined;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
};

/** Returns a function that counts a request at a time (ms), and throws HttpError 429 above `perSecond` (null: no limit). */
const createRateLimiter = (perSecond: number | null) => {
  let window = { second: Number.NaN, requests: 0 };
  return (at: number): void => {
    const second = Math.floor(at / SECOND);
    if (window.second !== second) window = { second, requests: 0 };
    window.requests += 1;
    if (perSecond !== null && window.requests > perSecond) {
      throw new HttpError(429, 'Rate limit exceeded. Please try again in 1 seconds.');
    }
  };
};
