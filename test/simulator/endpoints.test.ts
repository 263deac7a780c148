// Tests that every endpoint of the API's documentation answers and can have faults.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DOCUMENTED_ANSWERS } from '../../src/provider/documented-answers/documented-answers.ts';
import { openSimulator, type SimulatorClient } from './simulator-client.ts';

let client: SimulatorClient;
const ids = { proxy: '', service: '', address: '' };
beforeAll(async () => {
  client = await openSimulator();
  const [proxy] = (await client.get('proxy/search', { proxy_status: 'in_use' })).body.data;
  ids.proxy = String(proxy?.proxy_id);
  ids.service = String(proxy?.service_id);
  ids.address = String(proxy?.proxy_ip_address);
});
afterAll(() => client[Symbol.asyncDispose]());
beforeEach(() => client.simulator.faults.clear());

const TESTED = {
  proxies: [{ proxy_string: '192.0.2.1:8000:user:password' }],
  urls: ['https://example.com/'],
};

/** What the request has after the name of the endpoint. */
const RESTS: Readonly<Record<string, () => string>> = {
  'service/retrieve': () => `/${ids.service}`,
  'proxy/retrieve': () => `/${ids.proxy}`,
  'city/retrieve': () => '/200',
  'ip_address/geolocate': () => `/${ids.address}`,
  'subdivision/retrieve': () => '/gb-eng',
  'analytics/graph': () => '?preset=last_hour',
};
const BODIES: Readonly<Record<string, object>> = {
  'checkout/quote': { product_code: 'isp_gb', quantity: 1 },
  'proxy_test_run/create': TESTED,
};

test.each(['residential', 'mobile'])('available %s nodes are those of the filter', async (type) => {
  const ask = async (query: object) => {
    const answer = await client.get(`${type}_availability/count`, { ...query });
    return [answer.status, (answer.body.data as object | undefined) ?? null];
  };
  const [, all] = await ask({});
  expect(await ask({ country_id: 'zz' })).toEqual([200, { [`total_${type}_availability_node_count`]: 0 }]);
  expect((await ask({ country_id: 'gb' }))[1]).not.toEqual(all);
  expect(await ask({ moon: '1' })).toEqual([400, null]);
});

describe.each(Object.keys(DOCUMENTED_ANSWERS))('%s', (endpoint) => {
  const ask = () => {
    const rest = RESTS[endpoint]?.() ?? '';
    const body = BODIES[endpoint];
    const { baseUrl, publicKey, privateKey } = client.simulator;
    return fetch(`${baseUrl}/public/user/${endpoint}${rest}`, {
      headers: { 'x-api-public-key': publicKey, 'x-api-private-key': privateKey },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  };

  test('answers with data and a message', async () => {
    const response = await ask();
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: expect.anything(), message: expect.any(String) });
  });

  test('can have its own faults', async () => {
    client.simulator.faults.replace([
      { kind: 'status', endpoint, count: 1 },
      { kind: 'extra_fields', endpoint, fields: { moon: 1 } },
      { kind: 'null_fields', endpoint, fields: ['message'] },
    ]);
    expect((await ask()).status).toBe(503);
    expect(await (await ask()).json()).toMatchObject({ moon: 1, message: null });
  });
});
