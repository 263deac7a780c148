// Tests createTestRun: its request, and the results from a sample answer.

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createTestRun, type TestRunRequest } from '../../src/provider/resources/proxy-tests.ts';
import { connect, startFakeProvider } from '../support/fake-provider.ts';

const REQUEST: TestRunRequest = {
  proxies: [
    { proxyId: 'p1', proxyString: new Secret('192.0.2.1:8000:bob:canary') },
    { proxyString: new Secret('socks5://eve:canary@192.0.2.2:8001') },
  ],
  urls: ['https://example.com/', new Secret('https://shop.example/?token=canary')],
  testerServers: [],
  timeoutMs: 10_000,
  responseTimeUnit: 'milliseconds',
  timeZone: 'Europe/Paris',
};

const RESULT = {
  proxy_test_result_id: 'r1',
  proxy_test_result_url: 'https://example.com/',
  proxy_test_result_is_successful: true,
  proxy_test_result_error_code: null,
  proxy_test_result_protocol: 'http',
  proxy_test_result_response_time: 129,
  proxy_test_server_id: 'london-1',
  proxy_test_server_city_name: 'London',
  proxy_test_server_country_id: 'gb',
  proxy_test_result_creation_datetime: '2026-03-01 12:00:00',
  proxy_username: 'bob',
  proxy_host: '192.0.2.1',
  proxy_port: 8000,
  proxy_ip_address: '192.0.2.1',
  proxy_country_id: 'fr',
  proxy_asn_id: 64_500,
};

const run = async (body: object, request: Partial<TestRunRequest> = {}) => {
  await using provider = await startFakeProvider(() => ({ body }));
  await using client = connect(provider);
  const made = await createTestRun(client, { ...REQUEST, ...request });
  return { ...made, sent: JSON.parse(provider.requests[0]?.body ?? '') };
};

const answer = (...results: unknown[]) => ({ created: ['run-1'], data: { t1: { results } }, message: 'ok' });

describe('createTestRun', () => {
  it('sends proxies and URLs revealed, and testers only if some are named', async () => {
    const { sent } = await run(answer());
    expect(sent).toEqual({
      proxies: [
        { proxy_id: 'p1', proxy_string: '192.0.2.1:8000:bob:canary' },
        { proxy_string: 'socks5://eve:canary@192.0.2.2:8001' },
      ],
      urls: ['https://example.com/', 'https://shop.example/?token=canary'],
    });
    const named = await run(answer(), { testerServers: ['london-1'] });
    expect(named.sent.proxy_tester_server_id).toEqual(['london-1']);
  });

  it('returns results with the code’s own field names', async () => {
    const { runIds, results, skipped } = await run(answer(RESULT));
    expect({ runIds, skipped }).toEqual({ runIds: ['run-1'], skipped: 0 });
    expect(results).toEqual([
      {
        host: '192.0.2.1',
        port: 8000,
        username: 'bob',
        url: 'https://example.com/',
        testerServer: 'london-1',
        isSuccessful: true,
        errorCode: null,
        errorSource: null,
        responseTimeSeconds: 0.129,
        testerPlace: { cityId: null, cityName: 'London', countryId: 'gb' },
        observation: {
          ...{
            resultId: 'r1',
            testerProxyId: null,
            createdAt: Date.parse('2026-03-01T11:00:00Z'),
            updatedAt: null,
          },
          ...{
            address: '192.0.2.1',
            countryId: 'fr',
            cityId: null,
            cityName: null,
            asnId: 64_500,
            asnName: null,
          },
        },
      },
    ]);
  });

  it('reads codes and sources of errors that are numbers as texts', async () => {
    const numbers = { proxy_test_result_error_code: 4221, proxy_test_result_error_source: 2 };
    const { results, skipped } = await run(answer({ ...RESULT, ...numbers }));
    expect(results).toMatchObject([{ errorCode: '4221', errorSource: '2' }]);
    expect(skipped).toBe(0);
  });

  it('reads response times in seconds if configured', async () => {
    const { results } = await run(answer(RESULT), { responseTimeUnit: 'seconds' });
    expect(results).toMatchObject([{ responseTimeSeconds: 129 }]);
  });

  it.each([
    'proxy_host',
    'proxy_port',
    'proxy_test_result_url',
    'proxy_test_server_id',
    'proxy_test_result_is_successful',
  ])('skips a result without %s and keeps the others', async (field) => {
    const { results, skipped } = await run(answer({ ...RESULT, [field]: null }, RESULT));
    expect(results).toHaveLength(1);
    expect(skipped).toBe(1);
  });

  it('keeps a result without a detail of another type, and counts it', async () => {
    const { results, skipped } = await run(answer({ ...RESULT, proxy_city_id: '202' }, RESULT));
    expect(results).toHaveLength(2);
    expect(skipped).toBe(1);
  });

  it('rejects an answer without the ids of the runs, and quotes none of it', async () => {
    const failure = await run({ data: { t1: { results: 'canary' } } }).catch((error) => error);
    expect(failure).toMatchObject({ kind: 'bad_response', endpoint: 'proxy_test_run/create' });
    expect(inspect(failure, { depth: 9 })).not.toContain('canary');
  });
});
