// A program for tests: targets that send without end, proxies before them, and relays before the proxies.
//
// It is a process of its own, so that it goes on sending while the process of the prober is blocked.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FakeProxy, httpTunnel, socksTunnel } from '../../prober/fake-proxy.ts';
import { startTarget } from '../../prober/run-probe.ts';
import { tinyRecords } from '../../prober/tiny-records.ts';
import { startRelay } from './relay.ts';

const HOST = '127.0.0.1';
/** No part of a chunk's extensions is part of the body, so the body never reaches its limit. */
const CHUNKS = Buffer.from(`1;${'x'.repeat(1_000)}\r\na\r\n`.repeat(16));

const sendWithoutEnd = (socket: Socket): void => {
  const send = (): void => {
    while (socket.writable && socket.write(CHUNKS));
  };
  socket.on('drain', send);
  send();
};

const respond = ({ socket }: IncomingMessage): void => {
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  sendWithoutEnd(socket);
};

const targets = {
  bytes: await FakeProxy.start(sendWithoutEnd),
  records: await FakeProxy.start(tinyRecords),
  http: await startTarget(respond, null),
  https: await startTarget(respond),
};

const relayTo = async (port: number): Promise<number> => (await startRelay(HOST, port)).port;

export type TargetName = keyof typeof targets;
export type EndlessRelays = Readonly<Record<'http' | 'socks5', Record<TargetName, number>>>;

const relaysOf = async (tunnel: typeof httpTunnel): Promise<Record<TargetName, number>> => {
  const relay = async ({ port }: { readonly port: number }): Promise<number> =>
    relayTo((await FakeProxy.start(tunnel(port))).port);
  return {
    bytes: await relay(targets.bytes),
    records: await relay(targets.records),
    http: await relay(targets.http),
    https: await relay(targets.https),
  };
};

const relays: EndlessRelays = {
  // An HTTP proxy gets a forward request for a target without TLS, which the target itself can answer.
  http: { ...(await relaysOf(httpTunnel)), http: await relayTo(targets.http.port) },
  socks5: await relaysOf(socksTunnel),
};

process.send?.(relays);
process.on('disconnect', () => process.exit());
