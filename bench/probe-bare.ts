// The least that a probe needs on node:net and node:tls: connect, CONNECT, TLS, one request. No limits and no counts.

import { connect, type Socket } from 'node:net';
import { createSecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { TARGET_CA } from '../test/real/proxies/certificates.ts';
import type { ServerPorts } from './probe-servers.ts';

const AUTHORIZATION = Buffer.from('bench:password').toString('base64');
const NAME = 'localhost';

const secureContext = createSecureContext({ ca: TARGET_CA });

const openTunnel = (ports: ServerPorts): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(ports.proxy, '127.0.0.1').on('error', reject);
    const target = `${NAME}:${ports.target}`;
    socket.write(
      `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: Basic ${AUTHORIZATION}\r\n\r\n`,
    );
    let answer = '';
    socket.on('data', function read(bytes) {
      answer += bytes.toString('latin1');
      if (!answer.includes('\r\n\r\n')) return;
      socket.off('data', read);
      if (answer.startsWith('HTTP/1.1 200')) resolve(socket);
      else reject(new Error(answer));
    });
  });

export const bareTunnel = async (ports: ServerPorts): Promise<void> => {
  (await openTunnel(ports)).destroy();
};

const sessionOf = new WeakMap<ServerPorts, Buffer>();

/** `isResumed` keeps the session of the target for the next probe. */
export const bareHttp = async (ports: ServerPorts, isResumed: boolean): Promise<void> => {
  const socket = await openTunnel(ports);
  await new Promise<void>((resolve, reject) => {
    const options = { socket, servername: NAME, secureContext, ecdhCurve: 'X25519:P-256' };
    const session = isResumed ? sessionOf.get(ports) : undefined;
    const tls: TLSSocket = tlsConnect(session ? { ...options, session } : options).on('error', reject);
    if (isResumed) tls.on('session', (next) => sessionOf.set(ports, next));
    tls.write(`GET / HTTP/1.1\r\nHost: ${NAME}\r\nConnection: close\r\n\r\n`);
    let answer = '';
    tls.on('data', (bytes) => {
      answer += bytes.toString('latin1');
      if (!answer.includes('\r\n\r\n')) return;
      if (answer.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(answer));
    });
  });
  socket.destroy();
};
