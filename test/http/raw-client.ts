// Provides clients that send any bytes, and that read only when a test wants them to.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestServer } from './support.ts';

export const HOST = 'Host: localhost\r\n';
export const HEALTHY = `GET /-/healthy HTTP/1.1\r\n${HOST}\r\n`;

export const open = async ({ address: { host, port } }: Pick<TestServer, 'address'>): Promise<Socket> => {
  const socket = connect(port, host);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};

export const openMany = (server: TestServer, count: number): Promise<Socket[]> =>
  Promise.all(Array.from({ length: count }, () => open(server)));

/** Sends a request, and resolves when the first bytes of its answer have arrived. Nothing is read from then on. */
export const requestWithoutReading = async (server: TestServer, path: string): Promise<Socket> => {
  const socket = await open(server);
  socket.write(`GET ${path} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
};

/** Reads until the server closes the connection, also in the middle of an answer. */
export const readRest = async (socket: Socket): Promise<string> => (await buffer(socket)).toString('latin1');

/** Sends a request and reads until the server closes the connection. */
export const exchange = async (server: Pick<TestServer, 'address'>, request: string): Promise<string> => {
  const socket = await open(server);
  socket.write(request);
  return readRest(socket);
};

export const statusesIn = (answers: string): string[] => answers.match(/(?<=HTTP\/1\.1 )\d+(?= )/g) ?? [];
