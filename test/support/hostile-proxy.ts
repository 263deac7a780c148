// Provides a proxy that repeats the secrets of its clients in every part of its answers, and other hostile texts.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { FakeProxy } from '../prober/fake-proxy.ts';

/** Text of the proxy that must not be shown either: escapes of a terminal, and a long name. */
export const HOSTILE_TEXTS = ['\u001b[', 'canary-of-the-proxy', 'x'.repeat(300)];
const ESCAPE = '\u001b[2J\u001b[31mcanary-of-the-proxy';
const LONG = 'x'.repeat(10_000);

type Head = (login: string, request: string) => string;

/** `login` is what the client sent as its credentials, in plain text. */
const HEADS: readonly Head[] = [
  (login) => `407 ${login}\r\nx-byteful-status-code: ${login}\r\nx-byteful-request-id: ${login}`,
  (login) => `429 No\r\nx-byteful-status-code: 4221\r\nx-byteful-request-id: ${ESCAPE}${login}`,
  () => `403 ${ESCAPE}\r\nx-byteful-status-code: ${ESCAPE}\r\nx-byteful-request-id: ${ESCAPE}`,
  () => `502 No\r\nx-byteful-status-code: 31${LONG}\r\nx-byteful-request-id: ${LONG}`,
  (login, request) =>
    `503 No\r\nlocation: ${login}\r\nset-cookie: ${login}\r\nx-echo: ${encodeURIComponent(request)}`,
  (login) => `${login} ${login}`,
  () => '200 OK\r\nx-byteful-request-id: canary-of-the-proxy',
];

/** Answers with one hostile head after another. After an accepted CONNECT, garbage follows instead of TLS. */
export const startHostileProxy = async (options?: { hasTls: boolean }): Promise<FakeProxy> => {
  let count = 0;
  return FakeProxy.start((socket) => {
    socket.once('data', (bytes) => {
      const request = bytes.toString('latin1');
      const [, encoded = ''] = /authorization: basic (\S+)/i.exec(request) ?? [];
      const login = `${encoded} ${Buffer.from(encoded, 'base64').toString()} ${request.split('\r\n')[0]}`;
      const head = (HEADS[count++ % HEADS.length] as Head)(login, request);
      const body = JSON.stringify({ ip: login, country: ESCAPE });
      socket.end(`HTTP/1.1 ${head}\r\ncontent-type: application/json\r\n\r\n${body}${login}${ESCAPE}`);
    });
  }, options);
};

/** Returns a port of this machine at which nothing listens. */
export const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
