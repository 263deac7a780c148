// Matches the results of a test run, which have no proxy_id, to proxies by host, port and username.

import { normalHost } from '../proxy-sources/line-parts.ts';
import type { Endpoint } from '../proxy-sources/proxy-line.ts';

/** The endpoint of the tested proxy as a result names it. The provider may leave out any of these values. */
export interface ResultEndpoint {
  readonly host: string | null | undefined;
  readonly port: number | null | undefined;
  readonly username: string | null | undefined;
}

export interface Matched<P, R> {
  readonly pairs: readonly { readonly proxy: P; readonly result: R }[];
  /** The number of results that belong to no proxy of the batch, or may belong to several. */
  readonly unmatched: number;
}

/**
 * Assigns each result to the proxy of the batch at its host and port. The username decides only if several proxies share
 * them, because the provider may write it differently than the proxy's line.
 */
export const matchResults = <P extends Endpoint, R>(
  proxies: readonly P[],
  results: readonly R[],
  endpointOf: (result: R) => ResultEndpoint,
): Matched<P, R> => {
  const byAddress = Map.groupBy(proxies, ({ host, port }) => addressOf(host, port));
  const pairs = results.flatMap((result) => {
    const { host, port, username } = endpointOf(result);
    const sameAddress = byAddress.get(addressOf(host, port)) ?? [];
    const candidates =
      sameAddress.length > 1 ? sameAddress.filter((proxy) => proxy.username === username) : sameAddress;
    const [proxy] = candidates;
    return proxy && candidates.length === 1 ? [{ proxy, result }] : [];
  });
  return { pairs, unmatched: results.length - pairs.length };
};

const addressOf = (host: string | null | undefined, port: number | null | undefined): string =>
  `${normalHost(host ?? '')}:${port ?? ''}`;
