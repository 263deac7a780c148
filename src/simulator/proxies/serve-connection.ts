// Serves one connection to a simulated proxy. The first byte tells SOCKS5, TLS and HTTP apart.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { proxyFailure } from '../faults/test-outcome.ts';
import { ByteReader, ClosedEarly } from './byte-reader.ts';
import { serveHttp } from './http-proxy.ts';
import { faultOfKind } from './proxy-faults.ts';
import type { SimulatedProxy } from './simulated-proxy.ts';
import { serveSocks } from './socks-proxy.ts';
import { Visit, type VisitContext } from './visit.ts';

const SOCKS_VERSION = 0x05;
const TLS_HANDSHAKE = 0x16;
const GARBAGE = Buffer.from('\u0007\u0000\u001fnot a proxy\u0000\u0007\r\n\r\n', 'latin1');

export const serveConnection = async (
  context: VisitContext,
  secureContext: SecureContext,
  proxy: SimulatedProxy,
  raw: Socket,
): Promise<void> => {
  const visit = new Visit(context, proxy, raw);
  try {
    if (isDisturbed(visit)) return;
    await serve(visit, secureContext);
  } catch (error) {
    // The client left, or the simulator closes.
    raw.destroy();
    if (!(error instanceof ClosedEarly || context.closing.aborted)) throw error;
  }
};

const serve = async (visit: Visit, secureContext: SecureContext): Promise<void> => {
  let reader = new ByteReader(visit.raw);
  let first = await reader.peek();
  if (faultOfKind(visit.faults(), 'garbage')) return visit.refuse(GARBAGE);
  if (first === TLS_HANDSHAKE && visit.proxy.isGateway) {
    reader = await startTls(visit, secureContext, reader.rest());
    first = await reader.peek();
  }
  await (first === SOCKS_VERSION ? serveSocks(visit, reader) : serveHttp(visit, reader));
};

/** Throws ClosedEarly if the client does not finish the handshake. */
const startTls = async (
  visit: Visit,
  secureContext: SecureContext,
  received: Buffer,
): Promise<ByteReader> => {
  visit.raw.unshift(received);
  const socket = new TLSSocket(visit.raw, { isServer: true, secureContext });
  visit.client = socket;
  try {
    await once(socket, 'secure', { signal: visit.context.closing });
  } catch {
    throw new ClosedEarly('the handshake of TLS failed');
  }
  socket.on('error', () => visit.raw.destroy());
  return new ByteReader(socket);
};

/** Applies the faults that come before the client has said anything. Returns whether there is one. */
const isDisturbed = (visit: Visit): boolean => {
  const faults = visit.faults();
  const { scenario, outages, now } = visit.context;
  const failure = proxyFailure(scenario, outages(), visit.proxy.names, visit.proxy.name, now());
  if (faultOfKind(faults, 'silent') || failure?.code === 'connection_timeout') {
    visit.keepSilent();
    return true;
  }
  if (failure || faultOfKind(faults, 'refused')) {
    // The proxy will stop listening in a moment.
    visit.raw.resetAndDestroy();
    return true;
  }
  if (faultOfKind(faults, 'no_banner')) {
    visit.swallow();
    return true;
  }
  return visit.endAt('connect');
};
