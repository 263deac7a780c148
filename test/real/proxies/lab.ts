// Starts all proxies and targets of the tests, and names them.

import { Secret } from '../../../src/lib/secret.ts';
import type { ProbeProxy } from '../../../src/prober/probe.ts';
import { PROXY_CA, TARGET_CA } from './certificates.ts';
import { startHaproxy } from './haproxy.ts';
import { createNames, PASSWORD, SIMPLE_PASSWORD, USERNAME } from './names.ts';
import { startPrivoxy, startSsh } from './other-proxies.ts';
import { startDanted, startMicrosocks } from './socks-proxies.ts';
import { startSquid } from './squid.ts';
import { CLOSED_PORT, startTargets, type TargetPorts } from './targets.ts';
import { startTinyproxy } from './tinyproxy.ts';

/** The programs that the tests need. */
export const PROGRAMS = [
  ...['squid', 'tinyproxy', 'privoxy', 'microsocks', 'danted', 'ssh', 'sshd', 'haproxy'],
  ...['unshare', 'setpriv', 'mount'],
] as const;

export const PROXIES = [
  ...['squid', 'squid by IPv6', 'squid by name', 'squid over TLS', 'squid over TLS and IPv6'],
  ...['squid without a password', 'squid that refuses this machine', 'tinyproxy'],
  ...['haproxy before squid', 'haproxy with TLS before tinyproxy', 'haproxy before nothing'],
  ...['TLS proxy with an expired certificate', 'TLS proxy with a certificate of another name'],
  ...['microsocks', 'microsocks by IPv6', 'microsocks without a password'],
  ...['danted', 'danted by IPv6', 'danted without a password', 'privoxy', 'ssh -D'],
  ...['HTTP proxy that is down', 'SOCKS5 proxy that is down', 'proxy of an unknown name'],
] as const;
export type ProxyName = (typeof PROXIES)[number];

export interface Lab extends AsyncDisposable {
  readonly proxies: Readonly<Record<ProxyName, ProbeProxy>>;
  readonly targets: TargetPorts;
}

export const startLab = async (): Promise<Lab> => {
  await using stack = new AsyncDisposableStack();
  const { mounts } = stack.use(createNames());
  const targets = stack.use(await startTargets());
  const squid = stack.use(await startSquid(mounts));
  const tinyproxy = stack.use(await startTinyproxy(mounts));
  const microsocks = stack.use(await startMicrosocks(mounts, { hasPassword: true }));
  const microsocks6 = stack.use(await startMicrosocks(mounts, { host: '::1', hasPassword: true }));
  const openMicrosocks = stack.use(await startMicrosocks(mounts, { hasPassword: false }));
  const danted = stack.use(await startDanted(mounts, { hasPassword: true }));
  const openDanted = stack.use(await startDanted(mounts, { hasPassword: false }));
  const privoxy = stack.use(await startPrivoxy(mounts));
  const ssh = stack.use(await startSsh(mounts));
  const behind = { plain: squid.ports.basic, tls: tinyproxy.port, down: CLOSED_PORT };
  const haproxy = stack.use(await startHaproxy(mounts, behind));
  const proxies: Lab['proxies'] = {
    squid: http(squid.ports.basic),
    'squid by IPv6': http(squid.ports.basic6, '::1'),
    'squid by name': http(squid.ports.basic, 'localhost'),
    'squid over TLS': overTls(squid.ports.tls),
    'squid over TLS and IPv6': overTls(squid.ports.tls6, '::1'),
    'squid without a password': open(http(squid.ports.open)),
    'squid that refuses this machine': open(http(squid.ports.forbidden)),
    tinyproxy: simple(http(tinyproxy.port)),
    'haproxy before squid': http(haproxy.ports.plain),
    'haproxy with TLS before tinyproxy': simple(overTls(haproxy.ports.tls)),
    'haproxy before nothing': http(haproxy.ports.down),
    'TLS proxy with an expired certificate': { ...overTls(haproxy.ports.expired), ca: TARGET_CA },
    'TLS proxy with a certificate of another name': {
      ...overTls(haproxy.ports['wrong-name']),
      ca: TARGET_CA,
    },
    microsocks: socks(microsocks.port),
    'microsocks by IPv6': socks(microsocks6.port, '::1'),
    'microsocks without a password': open(socks(openMicrosocks.port)),
    danted: socks(danted.port),
    'danted by IPv6': socks(danted.port, '::1'),
    'danted without a password': open(socks(openDanted.port)),
    privoxy: open(http(privoxy.port)),
    'ssh -D': open(socks(ssh.port)),
    'HTTP proxy that is down': http(CLOSED_PORT),
    'SOCKS5 proxy that is down': socks(CLOSED_PORT),
    'proxy of an unknown name': http(CLOSED_PORT, 'proxy.invalid'),
  };
  const kept = stack.move();
  return { proxies, targets: targets.ports, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};

const credentials = { username: USERNAME, password: new Secret(PASSWORD) };

const http = (port: number, host = '127.0.0.1'): ProbeProxy => ({
  protocol: 'http',
  host,
  port,
  credentials,
});
const socks = (port: number, host?: string): ProbeProxy => ({ ...http(port, host), protocol: 'socks5' });
const overTls = (port: number, host?: string): ProbeProxy => ({
  ...http(port, host),
  protocol: 'https',
  ca: PROXY_CA,
});
const simple = (proxy: ProbeProxy): ProbeProxy => ({
  ...proxy,
  credentials: { username: USERNAME, password: new Secret(SIMPLE_PASSWORD) },
});
const open = (proxy: ProbeProxy): ProbeProxy => ({ ...proxy, credentials: undefined });
