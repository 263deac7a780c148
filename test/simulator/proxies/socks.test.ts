// Tests the simulated proxies over SOCKS5, on the port on which they also speak HTTP.

import { describe, expect, test } from 'vitest';
import type { ListedProxy } from '../../../src/simulator/proxies/simulated-proxy.ts';
import { connectTo, get, openProxies, readUntil, startTls } from './proxy-client.ts';

const bytesOf = (socket: Awaited<ReturnType<typeof connectTo>>, count: number): Promise<Buffer> =>
  readUntil(socket, (received) => received.length >= count);

const field = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);

const signIn = async ({ username, password, ...proxy }: ListedProxy, wrong = '') => {
  const socket = await connectTo(proxy);
  socket.write(Buffer.from([5, 2, 0, 2]));
  expect([...(await bytesOf(socket, 2))]).toEqual([5, 2]);
  socket.write(Buffer.concat([Buffer.from([1]), field(username), field(password + wrong)]));
  return { socket, status: [...(await bytesOf(socket, 2))] };
};

const nameOf = (name: string): Buffer => Buffer.concat([Buffer.from([3]), field(name)]);
const port = (number: number): Buffer => Buffer.from([number >> 8, number & 0xff]);

const request = async (proxy: ListedProxy, address: Buffer, targetPort: number, command = 1) => {
  const { socket } = await signIn(proxy);
  socket.write(Buffer.concat([Buffer.from([5, command, 0]), address, port(targetPort)]));
  const [version, code] = await bytesOf(socket, 10);
  expect(version).toBe(5);
  return { socket, code };
};

describe('SOCKS5', () => {
  test('opens a tunnel to a name that the proxy resolves', async () => {
    await using world = await openProxies();
    const { socket, code } = await request(world.proxyAt(0), nameOf('check.example'), 443);
    expect(code).toBe(0);
    const answer = await get(await startTls(socket, 'check.example', world.proxies.ca), '/ip');
    expect(answer).toMatch(new RegExp(`\\r\\n\\r\\n${world.proxyAt(0).host}\\n$`));
    socket.destroy();
  });

  test('opens a tunnel to an address', async () => {
    await using world = await openProxies();
    const target = Number(new URL(world.proxies.targets.http).port);
    const { socket, code } = await request(world.proxyAt(1), Buffer.from([1, 127, 0, 0, 1]), target);
    expect(code).toBe(0);
    expect(await get(socket, '/health')).toMatch(/ok\n$/);
    socket.destroy();
  });

  test.each([
    ['a wrong password', 'x', 1],
    ['the right one', '', 0],
  ])('answers %s', async (_, wrong, status) => {
    await using world = await openProxies();
    const signedIn = await signIn(world.proxyAt(0), wrong);
    signedIn.socket.destroy();
    expect(signedIn.status).toEqual([1, status]);
  });

  test('refuses clients without a password, unless their address is authorized', async () => {
    const methodFor = async (authorizedAddresses: Record<string, string>) => {
      await using world = await openProxies({}, { authorizedAddresses });
      const socket = await connectTo(world.proxyAt(0));
      socket.write(Buffer.from([5, 1, 0]));
      const [, method] = await bytesOf(socket, 2);
      socket.destroy();
      return method;
    };
    expect(await methodFor({})).toBe(0xff);
    expect(await methodFor({ '127.0.0.1': 'user-000000' })).toBe(0);
  });

  test.each([
    ['an unknown name', nameOf('nowhere.invalid'), 443, 4],
    ['a port where nothing listens', nameOf('check.example'), 81, 5],
    ['an address outside of this machine', Buffer.from([1, 192, 0, 2, 1]), 443, 3],
    [
      'an IPv6 address outside of this machine',
      Buffer.from([4, 0x20, 1, 0xd, 0xb8, ...Array(12).fill(1)]),
      443,
      3,
    ],
    ['an unknown kind of address', Buffer.from([9, 0, 0, 0, 0]), 443, 8],
  ])('replies to %s', async (_, address, targetPort, expected) => {
    await using world = await openProxies();
    const { socket, code } = await request(world.proxyAt(0), address, targetPort);
    socket.destroy();
    expect(code).toBe(expected);
  });

  test('replies to another command than CONNECT', async () => {
    await using world = await openProxies();
    const { socket, code } = await request(world.proxyAt(0), nameOf('check.example'), 443, 2);
    socket.destroy();
    expect(code).toBe(7);
  });

  test.each([
    [4_221, 2],
    [4_511, 1],
    [3_111, 5],
  ])('replies to the code %s', async (fault, expected) => {
    await using world = await openProxies({ proxy_faults: [{ kind: 'code', code: fault }] });
    const { socket, code } = await request(world.proxyAt(0), nameOf('check.example'), 443);
    socket.destroy();
    expect(code).toBe(expected);
  });

  test('ends the handshake for a code about credentials', async () => {
    await using world = await openProxies({ proxy_faults: [{ kind: 'code', code: 2_081 }] });
    const { socket, status } = await signIn(world.proxyAt(0));
    socket.destroy();
    expect(status).toEqual([1, 1]);
  });
});
