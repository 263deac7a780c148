// Whose result is it: results of a test run carry no proxy_id, so host, port and username must tell.

import { type Endpoint, normalHost } from './sources/proxy-line.ts';

/** What a result says of the proxy that it is about; the provider may leave out any of it. */
export interface ResultEndpoint {
  readonly host: string | null | undefined;
  readonly port: number | null | undefined;
  readonly username: string | null | undefined;
}

export interface Matched<P, R> {
  readonly pairs: readonly { readonly proxy: P; readonly result: R }[];
  /** Results that belong to no proxy of the batch, or might belong to several. */
  readonly unmatched: number;
}

/**
 * Gives each result to the batch's proxy at its host and port. Only where several proxies share those does the
 * username decide: the provider may write it in another way than the proxy's line does.
 */
export const matchResults = <P extends Endpoint, R>(
  proxies: readonly P[],
  results: readonly R[],
  endpointOf: (result: R) => ResultEndpoint,
): Matched<P, R> => {
  const byAddress = Map.groupBy(proxies, ({ host, port }) => addressOf(host, port));
  const pairs = results.flatMap((result) => {
    const { host, port, username } = endpointOf(result);
    const neighbours = byAddress.get(addressOf(host, port)) ?? [];
    const candidates =
      neighbours.length > 1 ? neighbours.filter((proxy) => proxy.username === username) : neighbours;
    const [proxy] = candidates;
    return proxy && candidates.length === 1 ? [{ proxy, result }] : [];
  });
  return { pairs, unmatched: results.length - pairs.length };
};

const addressOf = (host: string | null | undefined, port: number | null | undefined): string =>
  `${normalHost(host ?? '')}:${port ?? ''}`;
