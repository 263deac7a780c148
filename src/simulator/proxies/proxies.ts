// Runs the simulated proxies, gateways and their target on loopback.

import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { DAY, SECOND } from '../../lib/time.ts';
import { proxyFailure } from '../faults/test-outcome.ts';
import { services } from '../identities.ts';
import type { Provider } from '../provider.ts';
import type { Scenario } from '../scenario.ts';
import { CertificateAuthority } from './certificates.ts';
import { ExitRegistry } from './gateway.ts';
import { closeListeners, type Listener, type ListenOptions, type ProxyListeners } from './listener.ts';
import { faultOfKind, ProxyFaults } from './proxy-faults.ts';
import { serveConnection } from './serve-connection.ts';
import {
  accountProxy,
  gatewayProxy,
  type ListedProxy,
  listedProxy,
  type SimulatedProxy,
} from './simulated-proxy.ts';
import { TargetServer } from './target-server.ts';
import { OpenVisits, type VisitContext } from './visit.ts';

export interface ProxyOptions extends ListenOptions {
  /** The ids of users by the addresses from which they need no credentials, such as `127.0.0.1`. */
  readonly authorizedAddresses?: Readonly<Record<string, string>>;
  /** Domains that gateways refuse. Default: `blocked.example`. */
  readonly blockedDomains?: readonly string[];
}

export interface SimulatedProxies extends AsyncDisposable {
  /** The certificate (PEM) of the authority that signs for the gateways and the target. */
  readonly ca: string;
  /** The account's proxies, in their order. */
  readonly proxies: readonly ListedProxy[];
  readonly gateways: Readonly<Record<MeteredType, ListedProxy>>;
  /** The target as clients reach it without a proxy, such as `https://127.0.0.1:40000`. */
  readonly targets: { readonly http: string; readonly https: string };
  /** Call `sync` after a change, so that proxies start and stop listening. It also runs every second of real time. */
  readonly faults: ProxyFaults;
  /** Replaces the faults of a proxy, or of all proxies for `*`. An empty list ends them. Throws ZodError. */
  readonly setFaults: (subject: string, faults: readonly unknown[]) => Promise<void>;
  /** Lets proxies listen, or refuse connections, as the faults, outages and changes of this moment say. */
  readonly sync: () => Promise<void>;
  /** Resolves when all connections of clients have ended, so that their traffic is billed; silent proxies do not count. */
  readonly idle: () => Promise<void>;
}

interface ProxiesContext extends Pick<Provider, 'inventory' | 'users' | 'traffic' | 'outages'> {
  readonly scenario: Scenario;
  readonly now: () => number;
}

const SYNC_INTERVAL = SECOND;
const VALIDITY = 90 * DAY;

/** The proxies serve as soon as this resolves. Their disposal closes the listeners too. */
export const startProxies = async (
  context: ProxiesContext,
  listeners: ProxyListeners,
  options: ProxyOptions,
): Promise<SimulatedProxies> => {
  const { scenario, now } = context;
  const closing = new AbortController();
  const [faults, exits] = [new ProxyFaults(scenario.proxy_faults), new ExitRegistry()];
  const period = validity(now());
  const authority = new CertificateAuthority('Simulated provider', period);
  const target = await TargetServer.start({ authority, period, faults, exits, now });
  const visits: VisitContext = {
    ...{ scenario, faults, exits, now, users: context.users, closing: closing.signal },
    outages: () => context.outages.list,
    recorded: context.traffic.recorded,
    targetPorts: target.ports,
    open: new OpenVisits(),
    authorizedAddresses: new Map(Object.entries(options.authorizedAddresses ?? {})),
    blockedDomains: options.blockedDomains ?? ['blocked.example'],
  };
  const running = runningProxies(context, listeners);
  serveAll(visits, running, authority, period);
  const sync = synchronizer(visits, running);
  await sync();
  const timer = setInterval(() => void sync(), SYNC_INTERVAL).unref();
  const listed = running.map(({ proxy }) => listedProxy(context.users, proxy, now()));
  return {
    ...{ faults, sync, ca: authority.cert, ...groups(listed) },
    targets: {
      http: `http://127.0.0.1:${target.ports.http}`,
      https: `https://127.0.0.1:${target.ports.https}`,
    },
    setFaults: async (subject, list) => {
      checkSubject(subject, faults, running);
      faults.setFor(subject, list);
      await sync();
    },
    idle: () => visits.open.idle(),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      closing.abort();
      await sync();
      await closeListeners(listeners);
      await target[Symbol.asyncDispose]();
    },
  };
};

/** Throws ZodError if no proxy has this name. Faults of an unknown subject that a scenario has can be replaced. */
const checkSubject = (subject: string, { list }: ProxyFaults, running: readonly Running[]): void => {
  const names = ['*', ...list.map((one) => one.subject), ...running.flatMap(({ proxy }) => proxy.names)];
  if (names.includes(subject)) return;
  const message = `no proxy has the name "${subject}"; GET /-/proxies lists the proxies`;
  throw new z.ZodError([{ code: 'custom', path: ['subject'], message, input: subject }]);
};

const serveAll = (
  visits: VisitContext,
  running: readonly Running[],
  authority: CertificateAuthority,
  period: ReturnType<typeof validity>,
): void => {
  const hosts = new Set(
    running.filter(({ proxy }) => proxy.isGateway).map(({ proxy }) => proxy.endpoint.host),
  );
  const names = ['gateway.example', '*.gateway.example', 'localhost', ...hosts];
  const secureContext = createSecureContext(authority.issue(names, period));
  for (const { proxy, listener } of running) {
    listener.handler = (socket) => {
      // Any other error is a bug in the simulator. It closes the connection only.
      serveConnection(visits, secureContext, proxy, socket).catch(() => socket.destroy());
    };
  }
};

const groups = (listed: readonly ListedProxy[]): Pick<SimulatedProxies, 'gateways' | 'proxies'> => {
  const [residential, mobile, ...proxies] = listed;
  if (!residential || !mobile) throw new Error('the gateways are missing');
  return { gateways: { residential, mobile }, proxies };
};

/** Clients verify certificates by the system's clock, and others by the injected one, so both are inside. */
const validity = (now: number): { notBefore: number; notAfter: number } => ({
  notBefore: Math.min(now, Date.now()) - DAY,
  notAfter: Math.max(now, Date.now()) + VALIDITY,
});

interface Running {
  readonly proxy: SimulatedProxy;
  readonly listener: Listener;
}

/** Joins the account's proxies and the gateways with the listeners that were opened for them. The gateways come first. */
const runningProxies = ({ inventory, scenario }: ProxiesContext, listeners: ProxyListeners): Running[] => {
  const owners = services(scenario);
  const gateways = METERED_TYPES.map((type) => {
    const listener = listeners.gateways[type];
    const owner = owners.find((service) => service.type === type);
    return { proxy: gatewayProxy(type, owner, listener.endpoint), listener };
  });
  const proxies = listeners.proxies.flatMap((listener, index) => {
    const owner = owners[index % owners.length];
    return owner ? [{ proxy: accountProxy(inventory, owner, listener.endpoint, index), listener }] : [];
  });
  return [...gateways, ...proxies];
};

/** Returns a function that lets proxies listen or refuse by faults, outages and the account. One such work runs at a time. */
const synchronizer = (visits: VisitContext, running: readonly Running[]): (() => Promise<void>) => {
  const apply = async (): Promise<void> => {
    if (visits.closing.aborted) return;
    await Promise.all(
      running.map(({ proxy, listener }) =>
        isRefusing(visits, proxy) ? listener.refuse() : listener.accept(),
      ),
    );
  };
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(apply);
    return last;
  };
};

const isRefusing = ({ scenario, outages, faults, now }: VisitContext, proxy: SimulatedProxy): boolean => {
  const at = now();
  if (proxy.proxyId !== null && !proxy.row(at)) return true;
  if (faultOfKind(faults.active(proxy.names, '', at), 'refused')) return true;
  const failure = proxyFailure(scenario, outages(), proxy.names, proxy.name, at);
  return failure !== undefined && failure.code !== 'connection_timeout';
};
