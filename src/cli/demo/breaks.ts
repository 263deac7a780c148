// Breaks the simulated account of a running demo, and repairs it, when another process asks for it over the demo's HTTP server.

import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { ListenAddress } from '../../config/network.ts';
import { isFromBrowser } from '../../http/host-check.ts';
import type { AddRoutes } from '../../http/server.ts';
import type { Log } from '../../lib/log.ts';
import { demoProxies } from '../../simulator/demo-scenario.ts';
import { proxyAddress } from '../../simulator/identities.ts';
import type { SimulatorWithProxies } from '../../simulator/simulator.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { askDaemon } from '../daemon-client.ts';
import { DaemonError } from '../end.ts';
import { DEMO_ADDRESS } from '../options.ts';

export const BREAKS = ['proxy', 'target', 'tester', 'provider', 'keys', 'nothing'] as const;
export type Break = (typeof BREAKS)[number];

const PATH = '-/demo/break';
/** The index of the broken proxy, which has no fault of its own. */
const PROXY = 1;
const TARGET = 'shop.example';
const TESTER = 'london-2-digitalocean-proxytester-1';
const AFTER_TESTS = 'after two rounds of tests, which take up to 20 minutes';

export class DemoBreaks {
  readonly #simulator: SimulatorWithProxies;
  #repairs: (() => void)[] = [];

  constructor(simulator: SimulatorWithProxies) {
    this.#simulator = simulator;
  }

  /** Returns what happens, as sentences. What is broken stays so until `nothing` is. */
  apply(what: Break): string {
    switch (what) {
      case 'proxy': {
        this.#addOutage('proxy', proxyAddress(PROXY).host);
        const { name } = demoProxies(this.#simulator.proxies.proxies)[PROXY] ?? { name: '' };
        return `The proxy ${name} refuses connections. Probes from this machine show it after two minutes, and ProxyFailing fires ${AFTER_TESTS}.`;
      }
      case 'target':
        this.#addOutage('target', TARGET);
        return `The target shop fails through all proxies. ProxyTargetBlocked fires ${AFTER_TESTS}.`;
      case 'tester':
        this.#addOutage('tester', TESTER);
        return `The tester ${TESTER} fails with all proxies. ProxyTesterFailing fires ${AFTER_TESTS}.`;
      case 'provider':
        this.#addStatus(503);
        return 'The provider answers 503 to every request. CollectorFailing fires after two failed runs, and ProviderUnreachable after about ten minutes.';
      case 'keys':
        this.#addStatus(401);
        return 'The provider rejects the keys. ProviderKeysRejected fires after about three minutes.';
      case 'nothing':
        for (const repair of this.#repairs.splice(0)) repair();
        return 'The account is as at the start of the demo. Alerts end after the next runs.';
    }
  }

  #addOutage(kind: 'proxy' | 'target' | 'tester', subject: string): void {
    const { outages } = this.#simulator;
    const entry = outages.add({ kind, subject });
    this.#repairs.push(() => outages.remove(entry));
  }

  #addStatus(status: number): void {
    const { faults } = this.#simulator;
    const entry = faults.add({ kind: 'status', status });
    this.#repairs.push(() => faults.remove(entry));
  }
}

const body = z.object({ break: z.enum(BREAKS) });

/** Logs how to use it when the address is known. Web pages may not break anything, as they may not reload. */
export const breakRoute =
  (breaks: DemoBreaks, log: Log): AddRoutes =>
  (app) => {
    app.addHook('onListen', async () => {
      const { address: host, port } = app.server.address() as AddressInfo;
      log.info({}, howToBreak({ host, port }));
    });
    app.post(`/${PATH}`, async (request, reply) => {
      const { data } = body.safeParse(request.body);
      if (isFromBrowser(request)) return reply.code(403).send({ error: 'a web page may not break the demo' });
      if (!data) return reply.code(400).send({ error: `break: expected one of ${BREAKS.join(', ')}` });
      return reply.send({ result: breaks.apply(data.break) });
    });
  };

/** Asks the demo that listens at this address. Throws DaemonError. */
export const breakDemo = async (
  context: CommandContext,
  { host, port }: ListenAddress,
  what: Break,
): Promise<ExitCode> => {
  const url = `http://${hostInUrl(host)}:${port}`;
  const answer = await askDaemon(context, { url }, 'POST', PATH, { break: what }).catch((error: unknown) => {
    if (!(error instanceof DaemonError)) throw error;
    const message = `no demo answers at ${url}. Start it with "proxywatch demo", or give its address with --listen`;
    throw new DaemonError(message, { cause: error });
  });
  context.stdout.write(`${z.object({ result: z.string() }).parse(answer).result}\n`);
  if (what !== 'nothing')
    context.stdout.write(`The status page is ${url}. Repair all with: --break nothing\n`);
  return 0;
};

const [FIRST_BREAK, ...OTHER_BREAKS] = BREAKS;

/** The command knows the default address of the demo, and no other. */
export const howToBreak = ({ host, port }: ListenAddress): string => {
  const address = `${hostInUrl(host)}:${port}`;
  const option = address === DEMO_ADDRESS ? '' : `--listen ${address} `;
  return `to break something, run in another terminal: npm run proxywatch -- demo ${option}--break ${FIRST_BREAK} (or ${OTHER_BREAKS.join(', ')})`;
};

/** A demo that listens on all addresses is reached at the loopback address. */
const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};
