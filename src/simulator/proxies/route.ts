// Opens the connection from a simulated proxy to the target, from the proxy's exit, and passes bytes until one side ends.

import { once } from 'node:events';
import { connect, isIPv4, type Socket } from 'node:net';
import { activeOutage } from '../faults/outages.ts';
import { type Customer, refusalOf } from './admission.ts';
import { CODES, type Refusal } from './codes.ts';
import { type Exit, gatewayExit } from './gateway.ts';
import { faultOfKind } from './proxy-faults.ts';
import type { HostPort } from './simulated-proxy.ts';
import { resolveTarget } from './target.ts';
import type { Visit } from './visit.ts';

let connections = 0;

/** Returns the open connection to the target, or why the proxy refuses. The customer is billed from here on. */
export const openRoute = async (
  visit: Visit,
  customer: Customer,
  target: HostPort,
): Promise<Socket | Refusal> => {
  const { context, proxy } = visit;
  visit.customer = customer;
  visit.hostname = target.host.toLowerCase();
  const fault = faultOfKind(visit.faults(), 'code');
  if (fault) return { code: fault.code };
  const named = { host: visit.hostname, port: target.port };
  const refusal = refusalOf(context, proxy, customer, named);
  if (refusal) return refusal;
  const exit = exitOf(visit, customer);
  if (!exit) return { code: CODES.noNode };
  const address = resolveTarget(named, context.targetPorts);
  if ('code' in address) return address;
  if (activeOutage(context.outages(), 'target', [named.host], context.now()))
    return { code: CODES.refusedTarget };
  return connectFrom(visit, exit, address);
};

/** A static proxy leaves from the address that the account lists, unless a fault says otherwise. */
const exitOf = (visit: Visit, { options, user }: Customer): Exit | undefined => {
  const { context, proxy } = visit;
  const at = context.now();
  const row = proxy.row(at);
  const usual =
    proxy.isGateway && options
      ? gatewayExit({
          ...{ seed: context.scenario.seed, options, user: user.firstId, at },
          connection: ++connections,
        })
      : row && { address: row.proxy_ip_address, country: row.country_id };
  const fault = faultOfKind(visit.faults(), 'exit');
  return fault && usual ? { address: fault.address, country: fault.country ?? usual.country } : usual;
};

const connectFrom = async (visit: Visit, exit: Exit, address: HostPort): Promise<Socket | Refusal> => {
  const { exits, closing } = visit.context;
  const source = sourceOf(visit, exit);
  const canBind = isIPv4(source) === isIPv4(address.host);
  const attempts = canBind ? [{ localAddress: source }, {}] : [{}];
  for (const attempt of attempts) {
    const socket = connect({ ...address, ...attempt, allowHalfOpen: true, noDelay: true });
    try {
      await once(socket, 'connect', { signal: closing });
    } catch (error) {
      socket.destroy();
      // Not every system has all loopback addresses, so the exit is then known to the simulated target only.
      if (isBindError(error)) continue;
      return { code: CODES.refusedTarget };
    }
    exits.register(socket, exit);
    endWith(visit, socket);
    return socket;
  }
  return { code: CODES.internal };
};

/** The connection to the target ends with that of the client, also while a fault delays the answer to the client. */
const endWith = ({ raw }: Visit, upstream: Socket): void => {
  upstream.on('error', () => undefined);
  raw.once('close', () => upstream.destroy());
  if (raw.destroyed) upstream.destroy();
};

const LOOPBACK = /^127\./;

/** The exit itself if it is an address of this machine, and the address of the proxy otherwise. */
const sourceOf = ({ proxy }: Visit, { address }: Exit): string =>
  LOOPBACK.test(address) ? address : proxy.endpoint.host;

const isBindError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['EADDRNOTAVAIL', 'EADDRINUSE', 'EINVAL'].includes(String(error.code));

/** `early` is what the client sent before the connection to the target was open. */
export const relay = (visit: Visit, upstream: Socket, early: Uint8Array): void => {
  const { client, raw } = visit;
  if (faultOfKind(visit.faults(), 'half_open')) {
    upstream.destroy();
    visit.swallow();
    return;
  }
  // A target that resets the connection resets that of the client too, also if it did so before.
  if (upstream.destroyed) raw.resetAndDestroy();
  upstream.on('error', () => raw.resetAndDestroy());
  client.on('error', () => upstream.destroy());
  if (early.length > 0) upstream.write(early);
  client.pipe(upstream);
  upstream.pipe(client);
};
