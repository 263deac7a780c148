// Tests that the API shows the results of the probes beside those of the provider's testers.

import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { buildBoth } from '../collectors/probes/both-vantages.ts';
import { FakeProber, failed, passed } from '../collectors/probes/fake-probe.ts';
import { hostOf } from '../collectors/proxy-tests/tests-harness.ts';
import type { Harness } from '../support/harness.ts';

const ROUND = 5 * MINUTE;
const REQUEST_ID = '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11';
const refused = failed('tunnel', 'credentials', {
  proxyAnswer: { status: 407, code: '2010', requestId: REQUEST_ID },
});

/** Runs three rounds of probes and two of tests, in which the first proxy fails from here. */
const build = async (options: Parameters<typeof buildBoth>[1] = {}): Promise<Harness> => {
  const prober = new FakeProber();
  prober.answer = ({ at }) => (at === hostOf(0) ? refused : passed);
  const harness = await buildBoth(prober, options);
  await harness.advance(ROUND);
  await harness.advance(ROUND);
  return harness;
};

// biome-ignore lint/suspicious/noExplicitAny: the tests compare the parts of the answer that they know.
const read = async (harness: Harness, path: string): Promise<any> => {
  const response = await fetch(`${harness.url}api/v1/${path}`);
  return { status: response.status, ...((await response.json()) as object) };
};

const testers = (tests: readonly { readonly tester_server: string }[]): string[] =>
  [...new Set(tests.map(({ tester_server: name }) => name))].sort();

describe('with tests by the provider and probes', () => {
  it('a proxy has the results of both, and the uptime of the provider’s testers', async () => {
    await using harness = await build();
    const { data } = await read(harness, 'proxies?sort=id');
    expect(data).toHaveLength(5);
    expect(testers(data[0].tests)).toEqual(['frankfurt', 'local', 'london']);
    expect(data[0]).toMatchObject({ fault: false, uptime: { '24h': { ratio: 1 } } });
  });

  it('the verdict about a proxy says that it fails from here only, with what to tell the support', async () => {
    await using harness = await build();
    const proxy = await read(harness, 'accounts/main/proxies/p0');
    expect(proxy).toMatchObject({ verdict: 'unusable_here', uptime: { '24h': { ratio: 1 } } });
    expect(proxy.verdict_text).toContain('it passes from the provider’s testers and fails from here');
    expect(proxy.from_here).toMatchObject({
      ...{ tester_server: 'local', verdict: 'unusable_here', failing_rounds: 3 },
      uptime: { '24h': { ratio: 0, own_failures: 0 } },
    });
    expect(proxy.from_here.last_failures).toHaveLength(2);
    expect(proxy.from_here.last_failures[0]).toMatchObject({
      ...{ phase: 'tunnel', cause: 'credentials', proxy_status: 407 },
      ...{ provider_code: '2010', request_id: REQUEST_ID },
    });
  });

  it('the verdict about a proxy that passes says so for both', async () => {
    await using harness = await build();
    expect(await read(harness, 'accounts/main/proxies/p1')).toMatchObject({
      verdict: 'ok',
      verdict_text: 'It passes from here and from the provider’s testers.',
    });
  });

  it('the vantage is a tester of its own, with its own uptime', async () => {
    await using harness = await build();
    const { data } = await read(harness, 'testers?sort=id');
    expect(data.map((each: Record<string, unknown>) => [each.tester_server, each.vantage])).toEqual([
      ['frankfurt', false],
      ['local', true],
      ['london', false],
    ]);
    expect(data[1].uptime['24h']).toMatchObject({ results: 30, successes: 24 });
    expect(await read(harness, 'accounts/main/testers/local')).toMatchObject({ vantage: true, status: 200 });
    const history = await read(harness, 'accounts/main/testers/local/history');
    expect(history.data.at(-1)).toMatchObject({ results: 30, successes: 24 });
  });

  it('targets that only one of them has are listed once', async () => {
    await using harness = await build();
    const { data } = await read(harness, 'targets?sort=id');
    expect(data.map(({ url }: { url: string }) => url)).toEqual([
      ...['check', 'https://www.example.com/', 'shop'],
    ]);
    expect((await read(harness, 'accounts/main/targets/check')).status).toBe(200);
    const { data: uptimes } = await read(harness, 'uptimes?kind=target');
    expect(uptimes).toHaveLength(3);
  });

  it('faults and failures of the probes are listed', async () => {
    await using harness = await build();
    const { data: faults } = await read(harness, 'faults?kind=access');
    expect(faults).toMatchObject([{ kind: 'access', subject: 'p0' }]);
    const { data, total } = await read(harness, 'failures');
    expect(total).toBe(6);
    expect(data[0]).toMatchObject({
      ...{ account: 'main', proxy_id: 'p0', tester_server: 'local', error_code: 'tunnel_credentials' },
      probe: { phase: 'tunnel', cause: 'credentials', provider_code: '2010', request_id: REQUEST_ID },
    });
    expect(data.at(-1).probe).toBeNull();
  });
});

it('with probes only, the lists have their results', async () => {
  await using harness = await build({ tests: false });
  const { data, freshness } = await read(harness, 'proxies?sort=id');
  expect(testers(data[0].tests)).toEqual(['local']);
  expect(freshness).toMatchObject([{ collector: 'probes', state: 'current' }]);
  expect(await read(harness, 'accounts/main/proxies/p0')).toMatchObject({
    verdict: 'unusable_here',
    uptime: { '24h': { ratio: 0 } },
  });
  expect((await read(harness, 'accounts/main/proxies/p0/history')).data.at(-1)).toMatchObject({ results: 6 });
});
