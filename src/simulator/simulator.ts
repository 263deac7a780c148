// The simulated provider as a server on plain HTTP: an account that lives on the injected clock.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { isIPv6 } from 'node:net';
import { Faults } from './faults/faults.ts';
import { rateLimit } from './pace.ts';
import { type Provider, simulatedProvider } from './provider.ts';
import { RequestLog } from './request-log.ts';
import { parseScenario, type ScenarioInput } from './scenario.ts';
import { serve } from './serve.ts';
import type { Truth } from './truth.ts';

export { demoScenario } from './demo-scenario.ts';
export { parseScenario, type Scenario, type ScenarioInput, scenarioSchema } from './scenario.ts';

export interface SimulatorOptions {
  readonly scenario?: ScenarioInput;
  /** The clock that everything but delays runs on: milliseconds since the epoch. */
  readonly now: () => number;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  /** A free one unless given. */
  readonly port?: number;
}

export interface Simulator extends AsyncDisposable {
  /** Such as `http://127.0.0.1:8080/1.0`. */
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly truth: Truth;
  readonly faults: Faults;
  /** Proxies, testers and targets that fail in proxy tests. */
  readonly outages: Provider['outages'];
  /** Proxies, services and products that go, come and become others. */
  readonly changes: Provider['changes'];
  readonly requests: RequestLog;
}

/** Throws ZodError when the scenario is wrong, and the server's error when it cannot listen. */
export const startSimulator = async (options: SimulatorOptions): Promise<Simulator> => {
  const { now, host = '127.0.0.1', port = 0 } = options;
  const scenario = parseScenario(options.scenario ?? {});
  const provider = simulatedProvider(scenario, now);
  const [faults, requests] = [new Faults(scenario.seed), new RequestLog()];
  const checkPace = rateLimit(scenario.pace);
  const closing = new AbortController();
  const site = { ...provider, scenario, now, faults, requests, checkPace, closing: closing.signal };
  const server = createServer((request, response) => {
    // A request ends early when the server closes or the client leaves: there is nobody to answer.
    serve(site, request, response).catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    baseUrl: `http://${authority(host, server.address())}/1.0`,
    publicKey: scenario.public_key,
    privateKey: scenario.private_key,
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
  };
};

const authority = (host: string, address: ReturnType<ReturnType<typeof createServer>['address']>): string => {
  const port = typeof address === 'object' ? address?.port : undefined;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
};
