// Tests the faults of simulated proxies and targets: what a client sees of each of them.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import type { ProxyFaultInput } from '../../../src/simulator/proxies/proxy-faults.ts';
import {
  basic,
  codeOf,
  connectRequest,
  connectTo,
  exchange,
  get,
  getThrough,
  openProxies,
  openTunnel,
  readHead,
  readUntil,
  startTls,
  statusOf,
} from './proxy-client.ts';

/** Asks the first proxy for a tunnel, and returns what it sends until it ends the connection. */
const askWith = async (fault: ProxyFaultInput): Promise<{ text: string; error: string | undefined }> => {
  await using world = await openProxies({ proxy_faults: [fault] });
  const socket = await connectTo(world.proxyAt(0));
  const state: { error?: string } = {};
  socket.on('error', (error: NodeJS.ErrnoException) => Object.assign(state, { error: error.code }));
  socket.write(connectRequest('check.example:443', basic(world.proxyAt(0))));
  const text = String(await readUntil(socket));
  socket.destroy();
  return { text, error: state.error };
};

/** Whether the connection is still open after the client has exchanged bytes with another proxy. */
const isQuiet = async (fault: ProxyFaultInput): Promise<boolean> => {
  await using world = await openProxies({ proxy_faults: [{ ...fault, subject: '203.0.113.1' }] });
  const socket = await connectTo(world.proxyAt(0));
  const events: string[] = [];
  for (const name of ['data', 'end', 'close']) socket.on(name, () => events.push(name));
  socket.write(connectRequest('check.example:443', basic(world.proxyAt(0))));
  await getThrough(world.proxyAt(1), '/', world.proxies.ca);
  socket.destroy();
  return events.length === 0;
};

const connectError = async ({ host, port }: { host: string; port: number }): Promise<unknown> => {
  const socket: Socket = connect({ host, port });
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return error;
  } finally {
    socket.destroy();
  }
};

const refusedError = expect.objectContaining({ code: 'ECONNREFUSED' });

describe('a code', () => {
  test.each([
    ...([
      [2011, 407],
      [2035, 407],
      [2081, 407],
      [2061, 400],
      [3101, 502],
      [3129, 502],
      [8201, 502],
    ] as const),
    ...([
      [8241, 502],
      [3151, 400],
      [3161, 403],
      [3171, 403],
      [4231, 403],
      [4111, 403],
      [4129, 403],
    ] as const),
    ...([
      [4201, 429],
      [4211, 429],
      [4221, 429],
      [4511, 503],
      [8211, 503],
      [1001, 500],
      [2001, 500],
    ] as const),
    ...([
      [2071, 500],
      [4101, 500],
      [5021, 500],
      [8091, 500],
      [9011, 500],
      [9991, 500],
    ] as const),
    ...([
      [9021, 405],
      [9101, 400],
    ] as const),
  ])('%s is sent with the status %s', async (code, status) => {
    const { text } = await askWith({ kind: 'code', code });
    expect([statusOf(text), codeOf(text)]).toEqual([status, String(code)]);
    expect(text).toMatch(/x-byteful-request-id: [\da-f-]{36}\r\n/);
  });

  test.each([200, 2_000_000, 6_001, 20])('%s is not accepted as a fault', async (code) => {
    await using world = await openProxies();
    await expect(world.proxies.setFaults('*', [{ kind: 'code', code }])).rejects.toThrow('four-digit');
  });

  test('concerns only the proxy and the target that it names', async () => {
    await using world = await openProxies();
    await world.proxies.setFaults(world.proxyAt(0).proxyId ?? '', [
      { kind: 'code', code: 4231, target: 'shop.example' },
    ]);
    const codes = [
      [0, 'shop.example'],
      [0, 'check.example'],
      [1, 'shop.example'],
    ] as const;
    const seen = codes.map(async ([index, host]) => {
      const { head, socket } = await openTunnel(world.proxyAt(index), `${host}:443`);
      socket.destroy();
      return codeOf(head);
    });
    expect(await Promise.all(seen)).toEqual(['4231', '200', '200']);
  });

  test('ends with its period', async () => {
    await using world = await openProxies({
      proxy_faults: [{ kind: 'code', code: 4221, until: '2026-07-10T13:00:00Z' }],
    });
    const ask = async () => {
      const { head, socket } = await openTunnel(world.proxyAt(0));
      socket.destroy();
      return codeOf(head);
    };
    expect(await ask()).toBe('4221');
    world.clock.advance(HOUR);
    expect(await ask()).toBe('200');
  });
});

describe('a connection', () => {
  test('is refused, and accepted again at the same port', async () => {
    await using world = await openProxies();
    const proxy = world.proxyAt(0);
    await world.proxies.setFaults(proxy.name, [{ kind: 'refused' }]);
    expect(await connectError(proxy)).toEqual(refusedError);
    expect(await connectError(world.proxyAt(1))).toBeUndefined();
    await world.proxies.setFaults(proxy.name, []);
    expect(await connectError(proxy)).toBeUndefined();
  });

  test.each(['silent', 'no_banner'] as const)('is accepted and never answered: %s', async (kind) => {
    expect(await isQuiet({ kind })).toBe(true);
  });

  test('is answered with what is not HTTP', async () => {
    const { text } = await askWith({ kind: 'garbage' });
    expect(text).not.toContain('HTTP');
    expect(text.length).toBeGreaterThan(0);
  });

  test.each([
    ['connect', ''],
    ['request', ''],
    ['answer', 'HTTP/1.1 200'],
  ] as const)('is closed after %s', async (after, start) => {
    const { text, error } = await askWith({ kind: 'early_close', after });
    expect([text.slice(0, 12), error]).toEqual([start, undefined]);
  });

  test('is reset after the request', async () => {
    expect(await askWith({ kind: 'reset', after: 'request' })).toEqual({ text: '', error: 'ECONNRESET' });
  });

  test('is reset at once, perhaps while the client still connects', async () => {
    const asked = askWith({ kind: 'reset', after: 'connect' });
    expect(
      await asked.then(
        ({ error }) => error,
        (error) => error.code,
      ),
    ).toBe('ECONNRESET');
  });

  test('opens a tunnel through which nothing passes', async () => {
    await using world = await openProxies({ proxy_faults: [{ kind: 'half_open', subject: '203.0.113.1' }] });
    const { head, socket } = await openTunnel(world.proxyAt(0), new URL(world.proxies.targets.http).host);
    expect(codeOf(head)).toBe('200');
    const events: string[] = [];
    for (const name of ['data', 'end', 'close']) socket.on(name, () => events.push(name));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await getThrough(world.proxyAt(1), '/', world.proxies.ca);
    expect(events).toEqual([]);
    socket.destroy();
  });

  test.each(['half_open', 'no_banner', 'silent'] as const)(
    'with a fault ends with the client: %s',
    async (kind) => {
      await using world = await openProxies({ proxy_faults: [{ kind }] });
      const socket = await connectTo(world.proxyAt(0));
      socket.write(connectRequest('check.example:443', basic(world.proxyAt(0))));
      if (kind === 'half_open') await readHead(socket);
      socket.destroy();
      await world.proxies.idle();
      const { requests } = world.simulator.truth.traffic({}, 0, Number.MAX_SAFE_INTEGER);
      expect(requests).toBe(kind === 'half_open' ? 1 : 0);
    },
  );

  test('receives the answer one byte at a time', async () => {
    await using world = await openProxies({ proxy_faults: [{ kind: 'drip', interval_ms: 1 }] });
    const socket = await connectTo(world.proxyAt(0));
    let chunks = 0;
    socket.on('data', () => {
      chunks += 1;
    });
    socket.write(connectRequest('nowhere.invalid:443', basic(world.proxyAt(0))));
    await once(socket, 'end');
    socket.destroy();
    expect(chunks).toBeGreaterThan(20);
  });

  test('is answered late', async () => {
    await using world = await openProxies({ proxy_faults: [{ kind: 'slow', delay_ms: 50 }] });
    const before = performance.now();
    const { head, socket } = await openTunnel(world.proxyAt(0));
    socket.destroy();
    expect(performance.now() - before).toBeGreaterThan(45);
    expect(codeOf(head)).toBe('200');
  });
});

describe('an outage of the scenario', () => {
  const at = async (outage: { subject: string; error_code?: string }, isProxyTest = false) => {
    await using world = await openProxies({ outages: [{ kind: 'proxy', ...outage }] });
    const { host, port, username, password } = world.proxyAt(0);
    if (!isProxyTest) return await connectError({ host, port });
    const response = await fetch(`${world.simulator.baseUrl}/public/user/proxy_test_run/create`, {
      method: 'POST',
      headers: {
        'x-api-public-key': world.simulator.publicKey,
        'x-api-private-key': world.simulator.privateKey,
      },
      body: JSON.stringify({
        proxies: [{ proxy_string: `${host}:${port}:${username}:${password}` }],
        urls: ['https://check.example/'],
      }),
    });
    return await response.text();
  };

  test('stops the proxy, also for the testers of the provider', async () => {
    expect(await at({ subject: '203.0.113.1:8000' })).toEqual(refusedError);
    expect(await at({ subject: '203.0.113.1:8000' }, true)).toContain('connection_refused');
    expect(await at({ subject: '203.0.113.2:8000' })).toBeUndefined();
    expect(await at({ subject: '203.0.113.2:8000' }, true)).not.toContain('connection_refused');
  });

  test('of a target lets the proxies refuse it', async () => {
    await using world = await openProxies({ outages: [{ kind: 'target', subject: 'shop.example' }] });
    const { head, socket } = await openTunnel(world.proxyAt(0), 'shop.example:443');
    socket.destroy();
    expect(codeOf(head)).toBe('3111');
  });

  test('that ends lets the proxy listen again', async () => {
    await using world = await openProxies({
      outages: [{ kind: 'proxy', subject: '203.0.113.1', until: '2026-07-10T13:00:00Z' }],
    });
    expect(await connectError(world.proxyAt(0))).toEqual(refusedError);
    world.clock.advance(HOUR);
    await world.proxies.sync();
    expect(await connectError(world.proxyAt(0))).toBeUndefined();
  });
});

test('a proxy that the account loses does not listen', async () => {
  await using world = await openProxies();
  world.simulator.changes.add({ kind: 'proxy', subject: 0, absent: true });
  await world.proxies.sync();
  expect(await connectError(world.proxyAt(0))).toEqual(refusedError);
});

test('the exit of a proxy can be another address', async () => {
  await using world = await openProxies();
  await world.proxies.setFaults('*', [{ kind: 'exit', address: '192.0.2.9', country: 'de' }]);
  const echo = await getThrough(world.proxyAt(0), '/ip.json', world.proxies.ca);
  expect(JSON.parse(echo)).toEqual({ ip: '192.0.2.9', country: 'de' });
});

describe('a target', () => {
  const direct = async (world: Awaited<ReturnType<typeof openProxies>>): Promise<number> => {
    const { hostname: host, port } = new URL(world.proxies.targets.http);
    const socket = await connectTo({ host, port: Number(port) });
    return statusOf(await get(socket, '/'));
  };
  const throughProxy = async (world: Awaited<ReturnType<typeof openProxies>>): Promise<number> => {
    const proxy = world.proxyAt(0);
    const request = `GET http://check.example/ HTTP/1.1\r\nHost: check.example\r\n${basic(proxy)}\r\n`;
    return statusOf(await exchange(proxy, request));
  };

  test.each([
    ['proxies', [403, 200]],
    ['all', [403, 403]],
  ] as const)('blocks %s', async (through, expected) => {
    await using world = await openProxies({ proxy_faults: [{ kind: 'target', through }] });
    expect([await throughProxy(world), await direct(world)]).toEqual(expected);
  });

  test.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['untrusted', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['wrong_name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const)('has a certificate that is %s', async (state, code) => {
    await using world = await openProxies({
      proxy_faults: [{ kind: 'certificate', state, target: 'check.example' }],
    });
    const shake = async (name: string) => {
      const { socket } = await openTunnel(world.proxyAt(0), `${name}:443`);
      return await startTls(socket, name, world.proxies.ca)
        .then(
          (secure) => secure.authorized,
          (error: NodeJS.ErrnoException) => error.code,
        )
        .finally(() => socket.destroy());
    };
    expect([await shake('check.example'), await shake('shop.example')]).toEqual([code, true]);
  });
});

test('POST /-/faults sets and clears the faults of one proxy, and GET /-/proxies lists them', async () => {
  await using world = await openProxies();
  const { origin } = new URL(world.simulator.baseUrl);
  const post = (body: unknown) => fetch(`${origin}/-/faults`, { method: 'POST', body: JSON.stringify(body) });
  const listed = async () => JSON.parse(await (await fetch(`${origin}/-/proxies`)).text());
  await post({ subject: 'gateway-mobile', faults: [{ kind: 'refused' }] });
  await post({ subject: '203.0.113.1:8000', faults: [{ kind: 'silent' }] });
  expect(await connectError(world.proxies.gateways.mobile)).toEqual(refusedError);
  await post({ subject: 'gateway-mobile', faults: [] });
  expect(await connectError(world.proxies.gateways.mobile)).toBeUndefined();
  const { ca, proxies, faults } = await listed();
  expect(ca).toBe(world.proxies.ca);
  expect(proxies).toEqual(world.proxies.proxies);
  expect(faults).toMatchObject([{ kind: 'silent', subject: '203.0.113.1:8000' }]);
  const invalid = await post({ subject: '*', faults: [{ kind: 'unknown' }] });
  expect([invalid.status, (await listed()).faults.length]).toEqual([400, 1]);
});

test.each([
  ['certificate', { subject: '203.0.113.1', faults: [{ kind: 'certificate' }] }, 'fault of the target'],
  ['target', { subject: 'gateway-mobile', faults: [{ kind: 'target' }] }, 'fault of the target'],
  [
    'refused at one target',
    { subject: '*', faults: [{ kind: 'refused', target: 'a.example' }] },
    'leave target out',
  ],
  ['an unknown subject', { subject: '192.0.2.77', faults: [{ kind: 'silent' }] }, 'no proxy has the name'],
  ['an unknown subject without faults', { subject: 'gateway-x', faults: [] }, 'no proxy has the name'],
])('POST /-/faults refuses what would do nothing: %s', async (_, body, message) => {
  await using world = await openProxies();
  const { origin } = new URL(world.simulator.baseUrl);
  const answer = await fetch(`${origin}/-/faults`, { method: 'POST', body: JSON.stringify(body) });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(message)]);
  expect(world.proxies.faults.list).toEqual([]);
});
