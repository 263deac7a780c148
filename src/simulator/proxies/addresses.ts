// Maps the account's proxies to the addresses where they really listen, and back to those that scenarios name.

import { type ProxyAddress, proxyAddress } from '../identities.ts';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Without simulated proxies, the account's proxies have addresses that are reserved for documentation. */
export interface ProxyAddresses {
  /** Returns the address of proxy number `index`. */
  readonly of: (index: number) => ProxyAddress;
  /** Returns the address by which outages and the random numbers know an endpoint. */
  readonly documented: (endpoint: HostPort) => HostPort;
}

export const documentedAddresses: ProxyAddresses = {
  of: proxyAddress,
  documented: (endpoint) => endpoint,
};

/** `listening` has the endpoint of each proxy by its number. HTTP and SOCKS5 share its port. */
export const listeningAddresses = (listening: readonly HostPort[]): ProxyAddresses => {
  const indexes = new Map(listening.map(({ host, port }, index) => [`${host}:${port}`, index]));
  return {
    of: (index) => {
      const endpoint = listening[index];
      if (!endpoint) return proxyAddress(index);
      return { host: endpoint.host, httpPort: endpoint.port, socks5Port: endpoint.port };
    },
    documented: (endpoint) => {
      const index = indexes.get(`${endpoint.host}:${endpoint.port}`);
      if (index === undefined) return endpoint;
      const { host, httpPort } = proxyAddress(index);
      return { host, port: httpPort };
    },
  };
};
