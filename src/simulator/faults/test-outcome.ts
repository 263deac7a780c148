// Decides whether a proxy test succeeds: the first broken part from tester to proxy to target is its failure. Parses proxy strings.

import { HOUR } from '../../lib/time.ts';
import { userIndex, userPassword } from '../identities.ts';
import { draw, hashText, mix } from '../random.ts';
import type { InventoryProxy } from '../resources/proxies.ts';
import type { Scenario, Tester } from '../scenario.ts';
import { isDeletedUser } from '../traffic/slices.ts';
import { activeOutage, type Outage } from './outages.ts';

export interface TestAttempt {
  readonly endpoint: ProxyEndpoint;
  /** The endpoint as scenarios name it. */
  readonly documented: { readonly host: string; readonly port: number };
  /** The account's proxy at that endpoint, if the account has one there. */
  readonly proxy: InventoryProxy | undefined;
  readonly url: string;
  readonly tester: Tester;
  readonly at: number;
}

interface TestFailure {
  /** One of `client`, `proxy` and `target`. */
  readonly source: string;
  readonly code: string;
}

const INCIDENT_BLOCK = 6 * HOUR;

/** Returns undefined if the attempt succeeds. */
export const failureOf = (
  scenario: Scenario,
  outages: readonly Outage[],
  { endpoint, documented, proxy, url, tester, at }: TestAttempt,
): TestFailure | undefined => {
  const target = new URL(url).hostname;
  const subject = `${documented.host}:${documented.port}`;
  return (
    outageFailure(outages, 'tester', [tester.id], at, { source: 'client', code: 'tester_unavailable' }) ??
    (isUnresolvable(endpoint.host) ? { source: 'client', code: 'dns_error' } : undefined) ??
    proxyFailure(scenario, outages, [...hostAndPort(documented), ...hostAndPort(endpoint)], subject, at) ??
    (hasBadCredentials(scenario, endpoint, proxy)
      ? { source: 'proxy', code: 'authentication_failed' }
      : undefined) ??
    (isUnresolvable(target) ? { source: 'target', code: 'dns_error' } : undefined) ??
    outageFailure(outages, 'target', [target, url], at, { source: 'target', code: 'bad_request' })
  );
};

/** Returns the failure of the proxy by an outage of one of its `names`, or by an incident, which follows from `subject`. */
export const proxyFailure = (
  { seed, proxy_incident_ratio }: Scenario,
  outages: readonly Outage[],
  names: readonly string[],
  subject: string,
  at: number,
): TestFailure | undefined =>
  outageFailure(outages, 'proxy', names, at, { source: 'proxy', code: 'connection_refused' }) ??
  (hasIncident(seed, subject, proxy_incident_ratio, at)
    ? { source: 'proxy', code: 'connection_timeout' }
    : undefined);

const outageFailure = (
  outages: readonly Outage[],
  kind: Outage['kind'],
  names: readonly string[],
  at: number,
  fallback: TestFailure,
): TestFailure | undefined => {
  const outage = activeOutage(outages, kind, names, at);
  return (
    outage && { source: outage.error_source ?? fallback.source, code: outage.error_code ?? fallback.code }
  );
};

const hostAndPort = ({ host, port }: { host: string; port: number }): string[] => [host, `${host}:${port}`];

/** The account's proxies accept the credentials of its users. Other proxies accept any credentials. */
const hasBadCredentials = (
  { seed, users, deleted_user_ratio }: Scenario,
  { username, password }: ProxyEndpoint,
  proxy: InventoryProxy | undefined,
): boolean => {
  if (proxy === undefined) return false;
  if (username === proxy.default_proxy_user_username) return password !== proxy.default_proxy_user_password;
  const index = userIndex(username, users);
  const isKnown = index !== undefined && !isDeletedUser(index, deleted_user_ratio);
  return !isKnown || password !== userPassword(seed, index);
};

const isUnresolvable = (host: string): boolean => host.endsWith('.invalid');

const hasIncident = (seed: number, subject: string, ratio: number, at: number): boolean => {
  const hash = mix(mix(seed, hashText(subject)), Math.floor(at / INCIDENT_BLOCK));
  if (draw(hash, 1) >= ratio) return false;
  const length = (0.5 + 3.5 * draw(hash, 2)) * HOUR;
  const begin = draw(hash, 3) * (INCIDENT_BLOCK - length);
  const elapsed = at % INCIDENT_BLOCK;
  return elapsed >= begin && elapsed < begin + length;
};

export interface ProxyEndpoint {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly protocol: 'http' | 'socks5';
}

/** Returns undefined if `text` has neither form. */
export const parseProxyString = (text: string): ProxyEndpoint | undefined =>
  text.includes('://') ? fromUrl(text) : fromParts(text);

const fromParts = (text: string): ProxyEndpoint | undefined => {
  const [, host, port, username, password] = /^([^:\s]+):(\d{1,5}):([^:]*):(.*)$/.exec(text) ?? [];
  if (host === undefined || username === undefined || password === undefined) return undefined;
  return { host, port: Number(port), username, password, protocol: 'http' };
};

const fromUrl = (text: string): ProxyEndpoint | undefined => {
  const [, scheme, username = '', password = '', host, port] =
    /^(https?|socks5?):\/\/(?:([^:@/]*):([^@/]*)@)?([^:@/\s]+):(\d{1,5})\/?$/.exec(text) ?? [];
  if (host === undefined || scheme === undefined) return undefined;
  return {
    host,
    port: Number(port),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    protocol: scheme.startsWith('socks') ? 'socks5' : 'http',
  };
};
