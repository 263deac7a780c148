// Tests that bytes that pass through simulated proxies appear in the graphs, the ledger and the use of users, exactly.

import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import type { ListedProxy } from '../../../src/simulator/proxies/simulated-proxy.ts';
import {
  basic,
  codeOf,
  connectRequest,
  connectTo,
  get,
  openProxies,
  readHead,
  readUntil,
  startTls,
} from './proxy-client.ts';

type World = Awaited<ReturnType<typeof openProxies>>;

/** Asks for a path through TLS and a tunnel, and returns the raw bytes on the connection to the proxy. */
const measuredGet = async (
  world: World,
  proxy: ListedProxy,
  path = '/',
  host = 'check.example',
): Promise<number> => {
  const socket = await connectTo(proxy);
  socket.write(connectRequest(`${host}:443`, basic(proxy)));
  await readHead(socket);
  await get(await startTls(socket, host, world.proxies.ca), path, host);
  socket.end();
  await readUntil(socket);
  const bytes = socket.bytesRead + socket.bytesWritten;
  socket.destroy();
  await world.proxies.idle();
  return bytes;
};

const trafficOf = (world: World, filter: Parameters<World['simulator']['truth']['traffic']>[0]) =>
  world.simulator.truth.traffic(filter, 0, Number.MAX_SAFE_INTEGER);

const searched = async (world: World, path: string): Promise<Record<string, unknown>[]> => {
  const { baseUrl, publicKey, privateKey } = world.simulator;
  const headers = { 'x-api-public-key': publicKey, 'x-api-private-key': privateKey };
  const response = await fetch(`${baseUrl}/public/user/${path}`, { headers });
  const { data } = (await response.json()) as {
    data: Record<string, unknown>[] & { intervals: Record<string, unknown>[] };
  };
  return path.startsWith('analytics') ? data.intervals : data;
};

const USERNAME = 'user-000000';

describe('the bytes of a request', () => {
  test('are those on the raw connection of the client, in every graph that includes it and in no other', async () => {
    await using world = await openProxies();
    const proxy = world.proxyAt(0);
    const bytes = await measuredGet(world, proxy, '/bytes/100000');
    expect(bytes).toBeGreaterThan(100_000);
    const [service] = world.simulator.truth.proxies();
    const of = (filter: object) => trafficOf(world, filter).bytes;
    expect(trafficOf(world, {})).toMatchObject({ bytes, requests: 1, successful: 1, failed: 0 });
    expect(of({ network: 'datacenter' })).toBe(bytes);
    expect(of({ hostname: 'check.example' })).toBe(bytes);
    expect(of({ proxyUserId: USERNAME })).toBe(bytes);
    expect(of({ serviceId: String(service?.service_id) })).toBe(bytes);
    for (const filter of [{ network: 'isp' }, { hostname: 'shop.example' }, { proxyUserId: 'user-000001' }]) {
      expect(of(filter)).toBe(0);
    }
  });

  test('are in the graph of the API, in the minute in which the request ended', async () => {
    await using world = await openProxies();
    const first = await measuredGet(world, world.proxyAt(0));
    world.clock.advance(MINUTE);
    const second = await measuredGet(world, world.proxyAt(1));
    const range = 'period_start=2026-07-10 12:30:00&period_end=2026-07-10 12:40:00';
    const rows = await searched(world, `analytics/graph?interval=minute&${range}`);
    const used = rows
      .filter(({ bytes }) => Number(bytes) > 0)
      .map(({ interval, bytes }) => [interval, bytes]);
    expect(used).toEqual([
      ['2026-07-10 12:34:00', first],
      ['2026-07-10 12:35:00', second],
    ]);
  });

  test('through a gateway count for its user and for the ledger', async () => {
    await using world = await openProxies();
    const { residential, mobile } = world.proxies.gateways;
    const bytes = await measuredGet(world, residential);
    const onMobile = await measuredGet(world, mobile);
    expect(world.simulator.truth.users().get(residential.username)).toEqual({
      residential: bytes,
      mobile: onMobile,
    });
    const [user] = await searched(world, `proxy_user/search?proxy_user_id=${residential.username}`);
    expect(user?.proxy_user_residential_bytes_used).toBe(bytes);
    world.clock.advance(MINUTE);
    const ledger = await searched(world, 'residential_ledger/search?residential_ledger_reason=usage');
    expect(ledger.map((row) => row.residential_ledger_bytes)).toEqual([-bytes]);
    expect(ledger[0]?.residential_ledger_requests).toBe(1);
  });

  test('that smartpath routes are not charged', async () => {
    await using world = await openProxies();
    const gateway = world.proxies.gateways.residential;
    const bytes = await measuredGet(world, { ...gateway, username: `${gateway.username}_smartpath` });
    expect(trafficOf(world, { network: 'residential' })).toMatchObject({
      ...{ bytes, smartpathBytes: bytes, requests: 1, smartpathRequests: 1 },
    });
    world.clock.advance(MINUTE);
    const [usage] = await searched(world, 'residential_ledger/search?residential_ledger_reason=usage');
    expect(Number(usage?.residential_ledger_bytes)).toBeCloseTo(0);
  });

  test('below TLS to the gateway count, and not those inside', async () => {
    await using world = await openProxies();
    const gateway = world.proxies.gateways.residential;
    const socket = await connectTo(gateway);
    const secure = await startTls(socket, 'a.gateway.example', world.proxies.ca);
    secure.write(connectRequest('check.example:443', basic(gateway)));
    expect(codeOf(await readHead(secure))).toBe('200');
    secure.end();
    await once(secure, 'close');
    await world.proxies.idle();
    expect(trafficOf(world, {}).bytes).toBe(socket.bytesRead + socket.bytesWritten);
  });

  test('that was refused count as a failure, except without valid credentials', async () => {
    await using world = await openProxies();
    const proxy = world.proxyAt(0);
    const refused = async (username: string): Promise<number> => {
      const socket = await connectTo(proxy);
      socket.write(connectRequest('nowhere.invalid:443', basic({ ...proxy, username })));
      await readUntil(socket);
      socket.destroy();
      await world.proxies.idle();
      return socket.bytesRead + socket.bytesWritten;
    };
    const bytes = await refused(proxy.username);
    await refused('nobody');
    expect(trafficOf(world, {})).toMatchObject({ bytes, requests: 1, successful: 0, failed: 1 });
  });
});

describe('over time', () => {
  test('traffic is added to the modelled one, and past minutes keep their values', async () => {
    await using world = await openProxies({ traffic: { revised: { ratio: 0 }, late: { ratio: 0 } } });
    world.clock.advance(HOUR);
    const before = world.clock.now();
    const modelled = world.simulator.truth.traffic({}, 0, before, before + DAY).bytes;
    expect(modelled).toBeGreaterThan(0);
    const bytes = await measuredGet(world, world.proxyAt(0));
    world.clock.advance(DAY);
    const { truth } = world.simulator;
    expect(truth.traffic({}, 0, before - MINUTE).bytes).toBeLessThanOrEqual(modelled);
    expect(truth.traffic({ hostname: 'check.example' }, 0, world.clock.now()).bytes).toBe(bytes);
    const hour = { interval: 'hour', from: 0 } as const;
    const buckets = truth.buckets({ hostname: 'check.example' }, hour.interval, hour.from, world.clock.now());
    expect(buckets.reduce((sum, bucket) => sum + bucket.bytes, 0)).toBe(bytes);
  });

  test('the bytes of a user that is reset begin again with the month', async () => {
    await using world = await openProxies({ monthly_reset_ratio: 1 });
    const gateway = world.proxies.gateways.mobile;
    await measuredGet(world, gateway);
    world.clock.advance(25 * DAY);
    const bytes = await measuredGet(world, gateway);
    expect(world.simulator.truth.users().get(gateway.username)?.mobile).toBe(bytes);
  });

  test('a user that uses up its limit through the gateway is refused', async () => {
    await using world = await openProxies({
      users: 1,
      limits: { unlimited: 0, zero: 0, near: 1, over: 0 },
    });
    const gateway = world.proxies.gateways.residential;
    // Without traffic of the model, the limit is that of a user of whom 1,000 bytes are expected.
    expect(await measuredGet(world, gateway, '/bytes/2000')).toBeGreaterThan(1_050);
    const socket = await connectTo(gateway);
    socket.write(connectRequest('check.example:443', basic(gateway)));
    expect(codeOf(await readHead(socket))).toBe('4221');
    socket.destroy();
  });

  test('a user keeps its bytes when it is renamed', async () => {
    await using world = await openProxies();
    const gateway = world.proxies.gateways.residential;
    const first = await measuredGet(world, gateway);
    world.simulator.changes.add({ kind: 'user', subject: 0, set: { proxy_user_id: 'renamed' } });
    const second = await measuredGet(world, { ...gateway, username: 'renamed' });
    expect(world.simulator.truth.users().get('renamed')?.residential).toBe(first + second);
    expect(trafficOf(world, { proxyUserId: USERNAME }).bytes).toBe(first + second);
  });
});
