// Runs the proxy and the target of the benchmark of probes in a process of their own: node probe-servers.ts ANSWER_AFTER_MS

import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { keyPairOf } from '../test/real/proxies/certificates.ts';
import { serve } from './processes.ts';

export interface ServerPorts {
  readonly proxy: number;
  readonly target: number;
}

const answerAfterMs = Number(process.argv[2]);
const OPEN = [
  'HTTP/1.1 200 Connection established',
  'x-byteful-request-id: 3b241101-e2bb-4255-8caf-4136c566a962',
  'x-byteful-status-code: 200',
];

/** Connects to 127.0.0.1 at the port that the client names. */
const openTunnel = async (client: Socket, request: string): Promise<void> => {
  const port = Number(/^CONNECT \S+:(\d+) /.exec(request)?.[1]);
  if (answerAfterMs > 0) await setTimeout(answerAfterMs);
  if (client.destroyed) return;
  const target = connect(port, '127.0.0.1', () => client.write(`${OPEN.join('\r\n')}\r\n\r\n`));
  target.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.on('close', () => target.destroy());
  client.pipe(target);
  target.pipe(client);
};

const proxy = createServer({ noDelay: true }, (client) => {
  client.on('error', () => {}).once('data', (bytes) => void openTunnel(client, bytes.toString('latin1')));
});
const target = createHttpsServer(keyPairOf('target'), (_request, response) => response.end('ready'));
target.on('tlsClientError', () => {});

const portOf = async (server: Server, host: string): Promise<number> => {
  server.listen(0, host, 4_096);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

// The proxy listens on all addresses, because each address of 127.0.0.0/8 stands for another proxy.
serve({ proxy: await portOf(proxy, '0.0.0.0'), target: await portOf(target, '127.0.0.1') }, () => undefined);
