// Tests the simulated proxies over HTTP: tunnels, forwarded requests, credentials, and refusals with their codes.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  basic,
  codeOf,
  connectRequest,
  exchange,
  getThrough,
  openProxies,
  openTunnel,
  statusOf,
} from './proxy-client.ts';

const UUID = /x-byteful-request-id: [\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\r\n/;

describe('a tunnel', () => {
  test('carries the id and the code of the provider, and leads to the target from the address of the proxy', async () => {
    await using world = await openProxies();
    const proxy = world.proxyAt(0);
    const { head, socket } = await openTunnel(proxy);
    socket.destroy();
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).toMatch(UUID);
    expect(codeOf(head)).toBe('200');
    const { country_id } = world.simulator.truth.proxies()[0] ?? {};
    expect(JSON.parse(await getThrough(proxy, '/ip.json', world.proxies.ca))).toEqual({
      ip: proxy.host,
      country: country_id,
    });
    expect(await getThrough(proxy, '/ip', world.proxies.ca)).toBe(`${proxy.host}\n`);
  });

  test('passes on what the client sends together with its request', async () => {
    await using world = await openProxies();
    const { http } = world.proxies.targets;
    const request = connectRequest(new URL(http).host, basic(world.proxyAt(0)));
    const answer = await exchange(
      world.proxyAt(0),
      `${request}GET /body?text=early HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/early$/);
  });

  test('has another request id each time', async () => {
    await using world = await openProxies();
    const heads = await Promise.all([1, 2].map(() => openTunnel(world.proxyAt(0))));
    for (const { socket } of heads) socket.destroy();
    expect(new Set(heads.map(({ head }) => UUID.exec(head)?.[0])).size).toBe(2);
  });
});

describe('a forwarded request', () => {
  test('reaches the target without what is for the proxy, and its answer has the headers of the provider', async () => {
    await using world = await openProxies();
    const proxy = world.proxyAt(1);
    const request = `GET http://check.example/headers HTTP/1.1\r\nHost: check.example\r\nX-Own: 1\r\n${basic(proxy)}\r\n`;
    const answer = await exchange(proxy, request);
    expect(answer).toMatch(UUID);
    expect(codeOf(answer)).toBe('200');
    const headers = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    expect(headers).toEqual({ host: 'check.example', 'x-own': '1', connection: 'close' });
  });

  test('passes the status of the target on', async () => {
    await using world = await openProxies();
    const proxy = world.proxyAt(1);
    const answer = await exchange(
      proxy,
      `GET http://check.example/status/503 HTTP/1.1\r\nHost: check.example\r\n${basic(proxy)}\r\n`,
    );
    expect([statusOf(answer), codeOf(answer)]).toEqual([503, '200']);
  });
});

describe('credentials', () => {
  const ask = async (username: string, wrong: string): Promise<string> => {
    await using world = await openProxies();
    const proxy = world.proxyAt(0);
    const credentials = basic({ username, password: proxy.password + wrong });
    return await exchange(proxy, connectRequest('check.example:443', credentials));
  };

  test.each([
    ['a wrong password', 'user-000000', 'x', '2011'],
    ['an unknown user', 'nobody', '', '2021'],
    ['options, which a static proxy does not have', 'user-000000_c_gb', '', '2021'],
  ])('%s: 407', async (_, username, wrong, code) => {
    const answer = await ask(username, wrong);
    expect([statusOf(answer), codeOf(answer)]).toEqual([407, code]);
    expect(answer).toContain('proxy-authenticate: Basic');
    expect(answer).toMatch(UUID);
  });

  test('of a disabled user: 407', async () => {
    await using world = await openProxies();
    world.simulator.changes.add({ kind: 'user', subject: 0, set: { proxy_user_is_deleted: true } });
    const { head, socket } = await openTunnel(world.proxyAt(0));
    socket.destroy();
    expect([statusOf(head), codeOf(head)]).toEqual([407, '2031']);
  });

  test('that the account has changed for one proxy only: 407 there', async () => {
    await using world = await openProxies({
      changes: [{ kind: 'proxy', subject: 0, set: { default_proxy_user_password: 'new' } }],
    });
    const codes = [0, 1].map(async (index) => {
      const { head, socket } = await openTunnel(world.proxyAt(index));
      socket.destroy();
      return codeOf(head);
    });
    expect(await Promise.all(codes)).toEqual(['2011', '200']);
  });

  test('that are missing: 407 without the headers of the provider', async () => {
    await using world = await openProxies();
    const answer = await exchange(world.proxyAt(0), connectRequest('check.example:443', ''));
    expect(statusOf(answer)).toBe(407);
    expect(answer).not.toContain('x-byteful');
  });

  test('are not needed from an authorized address', async () => {
    await using world = await openProxies({}, { authorizedAddresses: { '127.0.0.1': 'user-000000' } });
    const answer = await exchange(world.proxyAt(0), connectRequest('nowhere.invalid:443', ''));
    expect(codeOf(answer)).toBe('3101');
  });
});

describe('a refusal', () => {
  test.each([
    ['an unknown name', 'nowhere.invalid:443', 502, '3101'],
    ['a port where nothing listens', 'check.example:81', 502, '3111'],
    ['an address outside of this machine', '192.0.2.1:443', 502, '8221'],
    ['an invalid name', 'a_-.example:443', 400, '3151'],
    ['an invalid port', 'check.example:0', 400, '3151'],
    ['a request without a port', 'check.example', 400, '9101'],
  ])('of %s', async (_, target, status, code) => {
    await using world = await openProxies();
    const answer = await exchange(world.proxyAt(0), connectRequest(target, basic(world.proxyAt(0))));
    expect([statusOf(answer), codeOf(answer)]).toEqual([status, code]);
  });

  test.each([
    ['an unsupported method', 'TRACE http://check.example/ HTTP/1.1\r\n\r\n', 405, '9021'],
    ['a request to the proxy itself', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 400, '9101'],
    ['what is not HTTP', 'hello\r\n\r\n', 400, '9101'],
    ['an endless head', `GET http://check.example/ HTTP/1.1\r\n${'X: 1\r\n'.repeat(4_000)}`, 400, '9101'],
  ])('of %s', async (_, request, status, code) => {
    await using world = await openProxies();
    const answer = await exchange(world.proxyAt(0), request);
    expect([statusOf(answer), codeOf(answer)]).toEqual([status, code]);
  });

  test('of a target that closes the connection before it answers', async () => {
    await using world = await openProxies();
    const closing = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(closing, 'listening');
    const address = closing.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const request = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${basic(world.proxyAt(0))}\r\n`;
    expect(codeOf(await exchange(world.proxyAt(0), request))).toBe('8201');
    closing.close();
  });
});
