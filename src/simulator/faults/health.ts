// Whether a proxy test succeeds: the first thing on the way from tester over proxy to target that is broken.

import { HOUR } from '../../lib/time.ts';
import { userIndex, userPassword } from '../identities.ts';
import { draw, hashText, mix } from '../random.ts';
import type { InventoryProxy } from '../resources/proxies.ts';
import type { Endpoint } from '../resources/proxy-string.ts';
import type { Scenario, Tester } from '../scenario.ts';
import { isDeletedUser } from '../traffic/slices.ts';
import { type Outage, outageOf } from './outages.ts';

export interface Attempt {
  readonly endpoint: Endpoint;
  /** The account's proxy at that endpoint, if it is one of the account's. */
  readonly proxy: InventoryProxy | undefined;
  readonly url: string;
  readonly tester: Tester;
  readonly at: number;
}

export interface Failure {
  /** client, proxy or target. */
  readonly source: string;
  readonly code: string;
}

const INCIDENT_BLOCK = 6 * HOUR;

/** Returns undefined when the attempt succeeds. */
export const failureOf = (
  scenario: Scenario,
  outages: readonly Outage[],
  { endpoint, proxy, url, tester, at }: Attempt,
): Failure | undefined => {
  const { seed, proxy_incident_ratio } = scenario;
  const { host, port } = endpoint;
  const target = new URL(url).hostname;
  const failed = (kind: Outage['kind'], names: readonly string[], fallback: Failure): Failure | undefined => {
    const outage = outageOf(outages, kind, names, at);
    return (
      outage && { source: outage.error_source ?? fallback.source, code: outage.error_code ?? fallback.code }
    );
  };
  return (
    failed('tester', [tester.id], { source: 'client', code: 'tester_unavailable' }) ??
    (isUnresolvable(host) ? { source: 'client', code: 'dns_error' } : undefined) ??
    failed('proxy', [host, `${host}:${port}`], { source: 'proxy', code: 'connection_refused' }) ??
    (hasIncident(seed, `${host}:${port}`, proxy_incident_ratio, at)
      ? { source: 'proxy', code: 'connection_timeout' }
      : undefined) ??
    (hasBadCredentials(scenario, endpoint, proxy)
      ? { source: 'proxy', code: 'authentication_failed' }
      : undefined) ??
    (isUnresolvable(target) ? { source: 'target', code: 'dns_error' } : undefined) ??
    failed('target', [target, url], { source: 'target', code: 'bad_request' })
  );
};

/** Proxies that are not the account's take any credentials; the account's take those of its users. */
const hasBadCredentials = (
  { seed, users, deleted_user_ratio }: Scenario,
  { username, password }: Endpoint,
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
  const into = at % INCIDENT_BLOCK;
  return into >= begin && into < begin + length;
};
