// Tests the connection to a proxy whose name has several addresses.

import { once } from 'node:events';
import { expect, it } from 'vitest';
import { connectTo } from '../../src/prober/connect.ts';
import { socketError } from '../../src/prober/socket-errors.ts';
import { FakeProxy } from './fake-proxy.ts';

it('uses the address that answers', async () => {
  await using proxy = await FakeProxy.start(() => {});
  const socket = connectTo(['127.0.0.2', '127.0.0.1'], proxy.port);
  await once(socket, 'connect');
  expect(socket.remoteAddress).toBe('127.0.0.1');
  socket.destroy();
});

it('names the reason that says most if no address answers', async () => {
  const { port } = await closedPort();
  const [error] = await once(connectTo(['127.0.0.2', '127.0.0.1'], port), 'error').catch((reason) => [
    reason,
  ]);
  expect(socketError(error).reason).toBe('refused');
});

it.each([
  [['ENETUNREACH', 'ECONNREFUSED'], 'refused'],
  [['ETIMEDOUT', 'ENETUNREACH'], 'timeout'],
  [['EMFILE', 'EMFILE'], 'local'],
])('of %j says %s', (codes, cause) => {
  const errors = codes.map((code) => Object.assign(new Error(code), { code, syscall: 'connect' }));
  expect(socketError(new AggregateError(errors)).reason).toBe(cause);
});

/** A port on which nothing listens any more. */
const closedPort = async (): Promise<{ readonly port: number }> => {
  await using proxy = await FakeProxy.start(() => {});
  return { port: proxy.port };
};
