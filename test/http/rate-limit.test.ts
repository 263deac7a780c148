// Tests web.yml's rate limit: a token bucket that all clients share, and whose state survives a reload.

import { expect, it } from 'vitest';
import { HASH, request, startWebServer, type WebServer } from './web-config-support.ts';

const LIMIT = { interval: '10s', burst: 2 };

/** Sends requests one after another, and returns their status or, if they are rejected, their Retry-After. */
const send = async ({ url }: WebServer, count: number): Promise<unknown[]> => {
  const results = [];
  for (let i = 0; i < count; i += 1) {
    const { status, headers } = await request(`${url}/-/healthy`);
    results.push(status === 429 ? headers['retry-after'] : status);
  }
  return results;
};

it('allows a burst, then one request for each interval', async () => {
  await using server = await startWebServer({ rate_limit: LIMIT });
  expect(await send(server, 4)).toEqual([200, 200, '10', '10']);
  server.clock.advance(4_500);
  expect(await send(server, 1)).toEqual(['6']);
  server.clock.advance(5_500);
  expect(await send(server, 2)).toEqual([200, '10']);
  server.clock.advance(3_600_000);
  expect(await send(server, 3)).toEqual([200, 200, '10']);
  expect(await request(`${server.url}/metrics`)).toMatchObject({ body: '{"error":"too many requests"}' });
});

it('changes with the file, and begins anew only if it changed', async () => {
  await using server = await startWebServer({ rate_limit: LIMIT });
  expect(await send(server, 3)).toEqual([200, 200, '10']);
  server.configure({ rate_limit: LIMIT, http_server_config: { headers: { 'X-XSS-Protection': 0 } } });
  expect(await send(server, 1)).toEqual(['10']);
  server.configure({ rate_limit: { ...LIMIT, interval: '1m30s' } });
  expect(await send(server, 3)).toEqual([200, 200, '90']);
  server.configure({});
  expect(await send(server, 5)).toEqual(Array(5).fill(200));
  server.configure({ rate_limit: LIMIT });
  expect(await send(server, 3)).toEqual([200, 200, '10']);
});

it('has no time to try again if the burst is 0, because every request is rejected', async () => {
  await using server = await startWebServer({ rate_limit: { interval: '1h' } });
  expect(await send(server, 2)).toEqual([undefined, undefined]);
});

it('also counts requests without a valid password', async () => {
  await using server = await startWebServer({ rate_limit: LIMIT, basic_auth_users: { prometheus: HASH } });
  expect(await send(server, 3)).toEqual([401, 401, '10']);
});
