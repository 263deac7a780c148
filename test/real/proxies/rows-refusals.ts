// The rows of the table of probes that fail before a tunnel is open: at the proxy, or at the proxy's connection to the target.

import type { ErrorCode, Row } from './row.ts';
import { CLOSED_PORT, REFUSED_ADDRESS } from './targets.ts';

const check: Row['url'] = ({ https }) => `https://check.example:${https}/`;
const plain: Row['url'] = ({ http }) => `http://check.example:${http}/`;
const refused: Row['url'] = () => `https://127.0.0.1:${CLOSED_PORT}/`;
const unknown: Row['url'] = () => 'https://unknown.example/';
const full: Row['url'] = ({ full: port }) => `https://127.0.0.1:${port}/`;
const blocked: Row['url'] = ({ https }) => `https://blocked.example:${https}/`;
const forbidden: Row['url'] = ({ https }) => `https://${REFUSED_ADDRESS}:${https}/`;

const inTunnel = (
  title: string,
  proxy: Row['proxy'],
  url: Row['url'],
  outcome: ErrorCode,
  proxyStatus?: number,
  rest: Partial<Row> = {},
): Row => ({ title, proxy, url, outcome, depth: 'tunnel', ...(proxyStatus ? { proxyStatus } : {}), ...rest });

const wrong = { login: 'wrong' } as const;
const none = { login: 'none' } as const;
const soon = { limits: { tunnel: 300 } };

const LOGINS: readonly Row[] = [
  inTunnel('wrong login', 'squid', check, 'tunnel_credentials', 407, wrong),
  inTunnel('wrong login', 'squid over TLS', check, 'tunnel_credentials', 407, wrong),
  inTunnel('wrong login', 'haproxy before squid', check, 'tunnel_credentials', 407, wrong),
  inTunnel('wrong login', 'tinyproxy', check, 'tunnel_credentials', 401, wrong),
  inTunnel('wrong login', 'microsocks', check, 'tunnel_credentials', undefined, wrong),
  inTunnel('wrong login', 'danted', check, 'tunnel_credentials', undefined, wrong),
  inTunnel('no password', 'squid', check, 'tunnel_credentials', 407, none),
  inTunnel('no password', 'tinyproxy', check, 'tunnel_credentials', 407, none),
  inTunnel('no password', 'microsocks', check, 'tunnel_credentials', undefined, none),
  inTunnel('no password', 'danted', check, 'tunnel_credentials', undefined, none),
  // These know their customers by their address, and accept no login at all.
  inTunnel('needless login', 'microsocks without a password', check, 'tunnel_credentials', undefined, wrong),
  inTunnel('needless login', 'danted without a password', check, 'tunnel_credentials', undefined, wrong),
  inTunnel('address not authorized', 'squid that refuses this machine', check, 'tunnel_policy', 403),
];

const TARGETS: readonly Row[] = [
  inTunnel('target refused', 'squid', refused, 'tunnel_target_unreachable', 503),
  inTunnel('target refused', 'tinyproxy', refused, 'tunnel_target_unreachable', 500),
  inTunnel('target refused', 'microsocks', refused, 'tunnel_target_refused', 5),
  inTunnel('target refused', 'danted', refused, 'tunnel_target_refused', 5),
  inTunnel('target refused', 'privoxy', refused, 'tunnel_target_unreachable', 503),
  inTunnel('target refused', 'ssh -D', refused, 'tunnel_proxy_or_target'),
  inTunnel('name unknown', 'privoxy', unknown, 'tunnel_target_name', 404),
  inTunnel('name unknown', 'ssh -D', unknown, 'tunnel_proxy_or_target'),
  inTunnel('name unknown', 'squid', unknown, 'tunnel_proxy_or_target', 500),
  inTunnel('name unknown', 'tinyproxy', unknown, 'tunnel_target_unreachable', 500),
  inTunnel('name unknown', 'microsocks', unknown, 'tunnel_proxy_or_target', 1),
  inTunnel('name unknown', 'danted', unknown, 'tunnel_target_unreachable', 4),
  inTunnel('target timed out', 'squid', full, 'tunnel_target_unreachable', 503),
  inTunnel('target timed out', 'tinyproxy', full, 'tunnel_timeout', undefined, soon),
  inTunnel('target timed out', 'microsocks', full, 'tunnel_timeout', undefined, soon),
  inTunnel('target timed out', 'danted', full, 'tunnel_target_unreachable', 6),
  inTunnel('refused by policy', 'squid', blocked, 'tunnel_policy', 403),
  inTunnel('refused by policy', 'tinyproxy', blocked, 'tunnel_policy', 403),
  inTunnel('refused by policy', 'danted', forbidden, 'tunnel_policy', 2),
  inTunnel('refused by policy', 'danted without a password', forbidden, 'tunnel_policy', 2),
];

const distrusted = (title: string, proxy: Row['proxy'], message: RegExp): Row =>
  inTunnel(`certificate ${title}`, proxy, check, 'connect_certificate', undefined, { message });

const PROXIES: readonly Row[] = [
  inTunnel('proxy down', 'HTTP proxy that is down', check, 'connect_refused'),
  inTunnel('proxy down', 'SOCKS5 proxy that is down', check, 'connect_refused'),
  inTunnel('nothing behind the proxy', 'haproxy before nothing', check, 'tunnel_closed'),
  inTunnel('name of the proxy unknown', 'proxy of an unknown name', check, 'resolve_dns'),
  inTunnel('authority of the proxy unknown', 'squid over TLS', check, 'connect_certificate', undefined, {
    trust: 'usual for the proxy',
  }),
  distrusted('expired', 'TLS proxy with an expired certificate', /has expired/),
  distrusted('of another name', 'TLS proxy with a certificate of another name', /is for another name/),
  inTunnel('no TLS where the proxy has it', 'squid over TLS', check, 'tunnel_closed', undefined, {
    ...{ protocol: 'http', mayReset: true },
  }),
  inTunnel('TLS where the proxy has none', 'squid', check, 'connect_protocol', undefined, {
    protocol: 'https',
  }),
  inTunnel('SOCKS5 to an HTTP proxy', 'squid', check, 'tunnel_timeout', undefined, {
    ...soon,
    protocol: 'socks5',
  }),
  inTunnel('HTTP to a SOCKS5 proxy', 'microsocks', check, 'tunnel_protocol', undefined, { protocol: 'http' }),
];

/** Without the provider's code, only the status 407 and known answers show that a forwarded answer comes from the proxy. */
const forwarded = (
  title: string,
  proxy: Row['proxy'],
  url: Row['url'],
  outcome: ErrorCode,
  rest: Partial<Row>,
): Row => ({ title: `${title}, forwarded`, proxy, url, outcome, depth: 'http', ...rest });

const plainBlocked: Row['url'] = ({ http }) => `http://blocked.example:${http}/`;
const plainRefused: Row['url'] = () => `http://127.0.0.1:${CLOSED_PORT}/`;

const FORWARDED: readonly Row[] = [
  forwarded('wrong login', 'squid', plain, 'response_credentials', { ...wrong, proxyStatus: 407 }),
  forwarded('wrong login', 'tinyproxy', plain, 'response_status', { ...wrong, status: 401 }),
  forwarded('target refused', 'squid', plainRefused, 'response_target_unreachable', { proxyStatus: 503 }),
  forwarded('target refused', 'tinyproxy', plainRefused, 'response_target_unreachable', { proxyStatus: 500 }),
  forwarded('refused by policy', 'squid', plainBlocked, 'response_policy', { proxyStatus: 403 }),
  forwarded('refused by policy', 'tinyproxy', plainBlocked, 'response_status', { status: 403 }),
];

const DIRECT: readonly Row[] = [
  inTunnel('target refused', null, refused, 'connect_refused'),
  inTunnel('target timed out', null, full, 'connect_timeout', undefined, { limits: { connect: 300 } }),
  inTunnel('name unknown', null, () => 'https://unknown.invalid/', 'resolve_dns'),
];

export const REFUSALS: readonly Row[] = [...LOGINS, ...TARGETS, ...PROXIES, ...FORWARDED, ...DIRECT];
