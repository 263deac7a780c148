// Defines a row of the table of probes: what is probed through which proxy, and the outcome.

import { Secret } from '../../../src/lib/secret.ts';
import type {
  Cause,
  Depth,
  Expectation,
  Phase,
  ProbeProxy,
  ProbeRequest,
  ProbeTimeouts,
} from '../../../src/prober/probe.ts';
import { TARGET_CA } from './certificates.ts';
import type { Lab, ProxyName } from './lab.ts';
import type { TargetPorts } from './targets.ts';

/** The label `error_code` of a failure. */
export type ErrorCode = `${Phase}_${Cause}`;

export interface Row {
  /** What is special about the row. */
  readonly title: string;
  /** Null probes without a proxy. */
  readonly proxy: ProxyName | null;
  readonly url: (ports: TargetPorts) => string;
  readonly depth: Depth;
  readonly expect?: Expectation;
  /** `wrong` has another username and password, `none` sends neither username nor password. */
  readonly login?: 'wrong' | 'none';
  /** Speaks another protocol than that of the proxy. */
  readonly protocol?: ProbeProxy['protocol'];
  /** The usual authorities are trusted, which have not signed the certificate of the proxy or target. */
  readonly trust?: 'usual for the proxy' | 'usual for the target';
  /** Limits in ms; all others are long. */
  readonly limits?: Partial<ProbeTimeouts>;
  readonly outcome: 'success' | ErrorCode;
  /** Without a relay between prober and proxy, the connection can end with a reset instead of a close. */
  readonly mayReset?: true;
  /** The HTTP status or the reply code of the proxy. */
  readonly proxyStatus?: number;
  /** What the message of the failure says, where the outcome has several reasons. */
  readonly message?: RegExp;
  /** The status of the target. */
  readonly status?: number;
}

/** Longer than any machine needs, however busy it is. */
const LONG_MS = 30_000;
const LIMITS: ProbeTimeouts = {
  ...{ resolve: LONG_MS, connect: LONG_MS, tunnel: LONG_MS, tls: LONG_MS, response: LONG_MS },
  total: 2 * LONG_MS,
};

export const requestOf = (row: Row, { targets }: Lab, proxy: ProbeProxy | null): ProbeRequest => ({
  proxy,
  target: {
    url: new Secret(row.url(targets)),
    depth: row.depth,
    expect: row.expect,
    ca: row.trust === 'usual for the target' ? undefined : TARGET_CA,
  },
  timeouts: { ...LIMITS, ...row.limits },
  signal: AbortSignal.timeout(3 * LONG_MS),
});

/** The proxy of the row, with the login and protocol that the row wants. */
export const proxyOf = (
  { proxy: name, login, protocol, trust }: Row,
  { proxies }: Lab,
): ProbeProxy | null => {
  if (name === null) return null;
  const proxy = proxies[name];
  return {
    ...proxy,
    protocol: protocol ?? proxy.protocol,
    ca: trust === 'usual for the proxy' ? undefined : proxy.ca,
    credentials: login ? LOGINS[login] : proxy.credentials,
  };
};

/**
 * squid keeps one password for each username, so a wrong one of the same user would make it refuse requests of other rows
 * that run at the same moment.
 */
const LOGINS = { wrong: { username: 'another', password: new Secret('another-password') }, none: undefined };
