// Tests where the simulated proxies listen, that the account lists these addresses, and that nothing is left open.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { closeListeners, openListener, openListeners } from '../../../src/simulator/proxies/listener.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { openSimulator } from '../simulator-client.ts';
import { basic, codeOf, connectRequest, connectTo, openProxies, openTunnel } from './proxy-client.ts';

/** Some systems have no other loopback address than 127.0.0.1. */
const hasLoopbackNetwork = process.platform === 'linux';

const listen = async (host: string, port = 0) => {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
};

/** Returns a port that was free a moment ago. */
const freePort = async (host: string) => {
  await using server = await listen(host);
  return { port: server.port };
};

const errorOf = async (endpoint: { host: string; port: number }): Promise<unknown> => {
  try {
    (await connectTo(endpoint)).destroy();
    return undefined;
  } catch (error) {
    return error;
  }
};

test('without the option, there are no proxies, and the account lists documented addresses', async () => {
  await using client = await openSimulator({ proxies: 2 });
  expect(client.simulator.proxies).toBeUndefined();
  const { data } = (await client.get('proxy/search')).body;
  expect(data.map((row) => [row.proxy_ip_address, row.proxy_http_port, row.proxy_socks5_port])).toEqual([
    ['203.0.113.1', 8000, 9000],
    ['203.0.113.2', 8000, 9000],
  ]);
  const response = await fetch(`${new URL(client.simulator.baseUrl).origin}/-/proxies`);
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('--proxies')]);
});

test('the account lists the addresses and ports where its proxies listen', async () => {
  await using world = await openProxies();
  const listed = world.simulator.truth.proxies().map((row) => ({
    ...{ host: row.proxy_ip_address, port: row.proxy_http_port, proxyId: row.proxy_id },
    socks: row.proxy_socks5_port,
  }));
  expect(listed).toEqual(
    world.proxies.proxies.map(({ host, port, proxyId }) => ({ host, port, proxyId, socks: port })),
  );
  for (const index of listed.keys()) {
    // The last two are a residential and a mobile proxy, which take the port 443 only.
    const { head, socket } = await openTunnel(world.proxyAt(index));
    socket.destroy();
    expect(codeOf(head)).toBe('200');
  }
});

describe('the listeners', () => {
  test.skipIf(!hasLoopbackNetwork)('take a free port if theirs is taken', async () => {
    await using taken = await listen('127.0.113.1');
    const listeners = await openListeners(2, { port: taken.port });
    const [first, second] = listeners.proxies.map(({ endpoint }) => endpoint);
    await closeListeners(listeners);
    expect(first?.host).toBe('127.0.113.1');
    expect(first?.port).not.toBe(taken.port);
    expect(second).toEqual({ host: '127.0.113.2', port: taken.port });
  });

  test('take different ports of one address if they share it', async () => {
    const listeners = await openListeners(3, { host: '127.0.0.1', port: 8000 });
    const endpoints = [...listeners.proxies, ...Object.values(listeners.gateways)].map((one) => one.endpoint);
    await closeListeners(listeners);
    expect(new Set(endpoints.map(({ port }) => port)).size).toBe(5);
    expect(new Set(endpoints.map(({ host }) => host))).toEqual(new Set(['127.0.0.1']));
  });

  test('take the next address if the system does not have theirs', async () => {
    await using listener = await openListener([
      { host: '192.0.2.1', port: 0 },
      { host: '127.0.0.1', port: 0 },
    ]);
    expect(listener.endpoint.host).toBe('127.0.0.1');
    expect(await errorOf(listener.endpoint)).toBeUndefined();
  });

  test('are all closed if one of them cannot listen', async () => {
    await expect(openListeners(2, { host: '192.0.2.1' })).rejects.toThrow('EADDRNOTAVAIL');
  });
});

test('proxies serve at IPv6 addresses', async () => {
  await using world = await openProxies({}, { host: '::1' });
  const { head, socket } = await openTunnel(world.proxyAt(0));
  socket.destroy();
  expect([world.proxyAt(0).host, codeOf(head)]).toEqual(['::1', '200']);
});

test('the end of the simulator closes listeners, open tunnels and the target', async () => {
  const world = await openProxies();
  const { socket } = await openTunnel(world.proxyAt(0));
  socket.resume();
  const closed = once(socket, 'close');
  await world[Symbol.asyncDispose]();
  await closed;
  const { hostname: host, port } = new URL(world.proxies.targets.https);
  const endpoints = [world.proxyAt(0), world.proxies.gateways.mobile, { host, port: Number(port) }];
  for (const endpoint of endpoints) {
    expect(await errorOf(endpoint)).toMatchObject({ code: 'ECONNREFUSED' });
  }
});

describe('the end of the simulator does not wait', () => {
  test('for an answer that drips', async () => {
    const world = await openProxies({ proxy_faults: [{ kind: 'drip', interval_ms: 60_000 }] });
    const socket = await connectTo(world.proxyAt(0));
    socket.write(connectRequest('check.example:443', basic(world.proxyAt(0))));
    // The proxy has connected to the target by now.
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await world[Symbol.asyncDispose]();
    await closed;
  });

  test('for a client that never finishes TLS with the target', async () => {
    const world = await openProxies();
    const { hostname: host, port } = new URL(world.proxies.targets.https);
    const socket = await connectTo({ host, port: Number(port) });
    const closed = once(socket.resume(), 'close');
    await world[Symbol.asyncDispose]();
    await closed;
  });
});

test.skipIf(!hasLoopbackNetwork)('a simulator that cannot serve the API closes its proxies', async () => {
  await using taken = await listen('127.0.0.1');
  const { port } = await freePort('127.0.113.1');
  const starting = startSimulator({
    now: Date.now,
    port: taken.port,
    scenario: { proxies: 1 },
    proxies: { port },
  });
  await expect(starting).rejects.toThrow('EADDRINUSE');
  expect(await errorOf({ host: '127.0.113.1', port })).toMatchObject({ code: 'ECONNREFUSED' });
});
