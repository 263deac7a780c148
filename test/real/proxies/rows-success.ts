// The rows of the table of probes that succeed: every proxy with every depth and kind of target.

import { TextPattern } from '../../../src/lib/text-pattern.ts';
import type { ProxyName } from './lab.ts';
import type { Row } from './row.ts';
import { BODY } from './targets.ts';

const HTTP_PROXIES = [
  ...['squid', 'squid by IPv6', 'squid by name', 'squid over TLS', 'squid over TLS and IPv6'],
  ...['squid without a password', 'tinyproxy', 'haproxy before squid', 'haproxy with TLS before tinyproxy'],
] as const satisfies ProxyName[];

const SOCKS_PROXIES = [
  ...['microsocks', 'microsocks by IPv6', 'microsocks without a password'],
  ...['danted', 'danted by IPv6', 'danted without a password'],
] as const satisfies ProxyName[];

/** The whole body is read, because the pattern ends at its end. */
const WHOLE_BODY = {
  status: [200],
  headers: { 'x-check': new TextPattern('^ready$') },
  body: new TextPattern(`^${BODY}$`),
};

/** The targets' names are known to the proxies only, so the proxy has resolved them if the probe succeeds. */
const TARGETS: readonly Omit<Row, 'proxy' | 'outcome'>[] = [
  { title: 'to a name', depth: 'tunnel', url: ({ https }) => `https://check.example:${https}/` },
  { title: 'to a name', depth: 'tls', url: ({ https }) => `https://check.example:${https}/` },
  {
    title: 'to a name',
    ...{
      depth: 'http',
      url: ({ https }) => `https://check.example:${https}/`,
      expect: WHOLE_BODY,
      status: 200,
    },
  },
  {
    title: 'to a name without TLS',
    ...{ depth: 'http', url: ({ http }) => `http://check.example:${http}/`, expect: WHOLE_BODY, status: 200 },
  },
  {
    title: 'to a name of an IPv6 address',
    depth: 'tls',
    url: ({ https6 }) => `https://six.example:${https6}/`,
  },
  {
    title: 'to an IPv4 address',
    ...{ depth: 'http', url: ({ https }) => `https://127.0.0.1:${https}/`, expect: WHOLE_BODY, status: 200 },
  },
  {
    title: 'to an IPv6 address',
    ...{ depth: 'http', url: ({ https6 }) => `https://[::1]:${https6}/`, expect: WHOLE_BODY, status: 200 },
  },
  {
    title: 'to an IPv6 address without TLS',
    ...{ depth: 'http', url: ({ http6 }) => `http://[::1]:${http6}/`, expect: WHOLE_BODY, status: 200 },
  },
  { title: 'without TLS', depth: 'tunnel', url: ({ http }) => `http://check.example:${http}/` },
];

/** A forwarded answer does not show what the proxy itself answered. */
const isForwarded = (row: Pick<Row, 'depth' | 'url'>): boolean =>
  row.depth === 'http' && row.url(NO_PORTS).startsWith('http:');
const NO_PORTS = {
  ...{ https: 0, https6: 0, http: 0, http6: 0, silent: 0, full: 0, garbage: 0, closing: 0, resetting: 0 },
};

const throughHttp = HTTP_PROXIES.flatMap((proxy) =>
  TARGETS.map((target): Row => {
    const answer = isForwarded(target) ? {} : { proxyStatus: 200 };
    return { ...target, ...answer, proxy, outcome: 'success' };
  }),
);

const throughSocks = SOCKS_PROXIES.flatMap((proxy) =>
  TARGETS.map((target): Row => ({ ...target, proxy, outcome: 'success', proxyStatus: 0 })),
);

/** A control. The names of the other targets mean nothing to this machine. */
const direct = (['tunnel', 'tls', 'http'] as const).flatMap((depth) =>
  (['localhost', '127.0.0.1'] as const).map((host): Row => {
    const url: Row['url'] = ({ https }) => `https://${host}:${https}/`;
    const status = depth === 'http' ? { status: 200 } : {};
    return { title: `to ${host}`, proxy: null, depth, url, outcome: 'success', ...status };
  }),
);

export const SUCCESSES: readonly Row[] = [...throughHttp, ...throughSocks, ...direct];
