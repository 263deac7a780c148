// Resolves the targets of requests: the host names of the simulated target, and addresses of this machine.

import { isIP } from 'node:net';
import type { HostPort } from './addresses.ts';
import { CODES, type Refusal } from './codes.ts';

/** Ports of the simulated target on 127.0.0.1. */
export interface TargetPorts {
  readonly http: number;
  readonly https: number;
}

export const ADDRESS_SERVICE = 'ip-api.com';
const SERVED = /(^|\.)(example|example\.com)$/;
const HOST_NAME =
  /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)*\.?$/i;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i;

/** Returns where to connect. The simulated proxies never leave this machine. */
export const resolveTarget = ({ host, port }: HostPort, ports: TargetPorts): HostPort | Refusal => {
  if (port < 1 || port > 65_535) return { code: CODES.invalidTarget };
  if (LOOPBACK.test(host)) return { host: host === 'localhost' ? '127.0.0.1' : host, port };
  if (isIP(host) !== 0) return { code: CODES.unreachableTarget };
  if (!HOST_NAME.test(host)) return { code: CODES.invalidTarget };
  if (!isServed(host)) return { code: CODES.unresolvedTarget };
  if (port === 443) return { host: '127.0.0.1', port: ports.https };
  return port === 80 ? { host: '127.0.0.1', port: ports.http } : { code: CODES.refusedTarget };
};

const isServed = (host: string): boolean => SERVED.test(host.toLowerCase()) || host === ADDRESS_SERVICE;
