// Starts the simulated provider as a plain HTTP server whose account changes with the injected clock.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { isIPv6 } from 'node:net';
import { Faults } from './faults/faults.ts';
import { type Provider, simulatedProvider } from './provider.ts';
import { createRateLimiter } from './rate-limit.ts';
import { RequestLog } from './request-log.ts';
import { parseScenario, type ScenarioInput } from './scenario.ts';
import { serve } from './serve.ts';
import type { Truth } from './truth.ts';

export { demoScenario } from './demo-scenario.ts';
export { parseScenario, type Scenario, type ScenarioInput, scenarioSchema } from './scenario.ts';

export interface SimulatorOptions {
  readonly scenario?: ScenarioInput;
  /** The clock in milliseconds since the epoch. Everything except delays uses it. */
  readonly now: () => number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
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
}

/** Throws ZodError if the scenario is invalid, and the server's error if it cannot listen. */
export const startSimulator = async (options: SimulatorOptions): Promise<Simulator> => {
  const { now, host = '127.0.0.1', port = 0 } = options;
  const scenario = parseScenario(options.scenario ?? {});
  const provider = simulatedProvider(scenario, now);
  const [faults, requests] = [new Faults(scenario.seed), new RequestLog()];
  const checkRateLimit = createRateLimiter(scenario.pace);
  const closing = new AbortController();
  const keys = { publicKey: scenario.public_key, privateKey: scenario.private_key };
  const context = {
    ...{ ...provider, scenario, keys, now, faults, requests, checkRateLimit },
    closing: closing.signal,
  };
  const server = createServer((request, response) => {
    // A request ends early when the server closes or the client disconnects, so there is no client to answer.
    serve(context, request, response).catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  return Object.assign(keys, {
    baseUrl: `http://${authority(host, server.address())}/1.0`,
    truth: provider.truth,
    outages: provider.outages,
    changes: provider.changes,
    faults,
    requests,
    async [Symbol.asyncDispose]() {
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
};

const authority = (host: string, address: ReturnType<ReturnType<typeof createServer>['address']>): string => {
  const port = typeof address === 'object' ? address?.port : undefined;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
};
