// Refuses requests for a foreign host name, and recognizes requests of web pages, of which only the status page may change
// anything. A foreign web page can let its own name resolve to this server (DNS rebinding), and its scripts can then read the
// answers, because the browser takes both for one site.

import { type AddressInfo, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ANY_HOST, type ListenAddress } from '../config/network.ts';
import type { Log } from '../lib/log.ts';
import { authorityOf } from './query.ts';

export interface HostSettings {
  readonly allowedHosts: readonly string[];
  /** Addresses at which users reach the server. */
  readonly externalUrls?: readonly string[];
}

/** What says which names the server has. */
export interface NameSettings {
  readonly listen: ListenAddress;
  /** Returns the settings in effect, which a reload can change. */
  readonly settings: () => HostSettings;
}

export interface HostCheckOptions extends NameSettings {
  readonly log: Log;
}

/** The answer says that this server is not the one of that name. */
const MISDIRECTED = 421;
const ADVICE = 'use an IP address or localhost, or add the name to the setting server.allowed_hosts';
const REFUSED = `a request was refused, because its header Host has a name that proxywatch does not know. To allow the request, ${ADVICE}. This is logged once`;

/** Must be called before any other hook can answer. */
export const addHostCheck = (app: FastifyInstance, options: HostCheckOptions): void => {
  let isLoopback: boolean | undefined;
  let isLogged = false;
  app.addHook('onRequest', async ({ raw, originalUrl }, reply) => {
    const inHeaders = raw.headersDistinct.host ?? [];
    // A proxy may have checked another one of them.
    if (inHeaders.length > 1) return reply.code(400).send({ error: 'the request has several headers Host' });
    isLoopback ??= isLoopbackAddress((app.server.address() as AddressInfo).address);
    const settings = options.settings();
    if (!isLoopback && settings.allowedHosts.length === 0) return;
    // HTTP/1.0 allows a request without the header. No browser sends one.
    const host = [...inHeaders, authorityOf(originalUrl) ?? ''].find(
      (each) => each !== '' && !isAllowed(nameIn(each), options.listen, settings),
    );
    if (host === undefined) return;
    if (!isLogged) options.log.warn({ host: host.slice(0, MAX_NAME) }, REFUSED);
    isLogged = true;
    return reply
      .code(MISDIRECTED)
      .send({ error: `proxywatch does not know the host name of this request; ${ADVICE}` });
  });
};

const MAX_NAME = 253;

/** Whether a listening address is one that only this machine reaches. */
const isLoopbackAddress = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/.test(address);

/** Returns the name without the port, without the dot of a complete name, and in lowercase. */
const nameIn = (host: string): string =>
  /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host)?.slice(1).join('').replace(/\.$/, '').toLowerCase() ?? '';

/** An IP address is what the client connected to, so it cannot be a name that resolves to this server. */
const isAllowed = (name: string, { host }: ListenAddress, settings: HostSettings): boolean =>
  isIP(name) > 0 ||
  /^(.+\.)?localhost$/.test(name) ||
  name === host.toLowerCase() ||
  (settings.externalUrls ?? []).some((url) => name === URL.parse(url)?.hostname) ||
  settings.allowedHosts.some((allowed) => allowed === ANY_HOST || allowed === name);

/** Whether a web page sent the request: browsers send the origin of a page that posts, other programs do not. */
export const isFromBrowser = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

/**
 * Whether the status page of this server may send changes: the browser reached it by a name that nobody else can let
 * resolve to this server, also where the check of names is off.
 */
export const isKnownHost = (host: string, { listen, settings }: NameSettings): boolean => {
  const { allowedHosts, ...rest } = settings();
  const names = allowedHosts.filter((name) => name !== ANY_HOST);
  return isAllowed(nameIn(host), listen, { ...rest, allowedHosts: names });
};

/** Whether the page of this server sent the request, and no foreign page that a name leads here (DNS rebinding). */
export const isFromOwnPage = ({ headers }: FastifyRequest, names: NameSettings): boolean => {
  const { origin = '', 'sec-fetch-site': site = 'same-origin', host } = headers;
  const own = URL.parse(origin);
  // A reverse proxy may send another Host than the name that the browser requested.
  const isExternal = (names.settings().externalUrls ?? []).some((url) => URL.parse(url)?.origin === origin);
  return (
    own !== null &&
    site === 'same-origin' &&
    (isExternal || own.host === host?.toLowerCase()) &&
    isKnownHost(own.host, names)
  );
};
