import { describe, expect, it } from 'vitest';
import { matchResults, type ResultEndpoint } from '../../../src/collectors/proxy-tests/call.ts';

const proxy = (id: string, host: string, port: number, username = 'alice') => ({ id, host, port, username });
const result = (
  host: string | null,
  port: number | null,
  username: string | null = 'alice',
): ResultEndpoint => ({ host, port, username });

const match = (proxies: ReturnType<typeof proxy>[], results: ResultEndpoint[]) => {
  const { pairs, unmatched } = matchResults(proxies, results, (each) => each);
  return { ids: pairs.map((pair) => [pair.proxy.id, results.indexOf(pair.result)]), unmatched };
};

describe('matchResults', () => {
  it('assigns each result to the proxy at its host and port', () => {
    const proxies = [proxy('a', '192.0.2.1', 80), proxy('b', '192.0.2.2', 80), proxy('c', '192.0.2.1', 81)];
    const results = [
      result('192.0.2.1', 81),
      result('192.0.2.1', 80),
      result('192.0.2.1', 80),
      result('192.0.2.2', 80),
    ];
    expect(match(proxies, results)).toEqual({
      ids: [
        ['c', 0],
        ['a', 1],
        ['a', 2],
        ['b', 3],
      ],
      unmatched: 0,
    });
  });

  it('compares hosts without case and brackets', () => {
    const proxies = [proxy('a', 'gate.example.com', 80), proxy('b', '2001:db8::1', 80)];
    expect(match(proxies, [result('GATE.Example.com', 80), result('[2001:DB8::1]', 80)])).toEqual({
      ids: [
        ['a', 0],
        ['b', 1],
      ],
      unmatched: 0,
    });
  });

  it('distinguishes proxies at the same host and port by their username', () => {
    const proxies = [proxy('a', 'gate.example.com', 80, 'alice'), proxy('b', 'gate.example.com', 80, 'bob')];
    expect(
      match(proxies, [result('gate.example.com', 80, 'bob'), result('gate.example.com', 80, 'alice')]),
    ).toEqual({
      ids: [
        ['b', 0],
        ['a', 1],
      ],
      unmatched: 0,
    });
  });

  it('needs no username if no proxies share host and port', () => {
    const proxies = [proxy('a', '192.0.2.1', 80)];
    const results = [result('192.0.2.1', 80, null), result('192.0.2.1', 80, 'customer-alice')];
    expect(match(proxies, results).unmatched).toBe(0);
  });

  it('counts results that match no proxy or may match several', () => {
    const proxies = [
      proxy('a', 'gate.example.com', 80, 'alice'),
      proxy('b', 'gate.example.com', 80, 'bob'),
      proxy('c', '192.0.2.1', 80),
    ];
    const results = [
      result('gate.example.com', 80, null),
      result('gate.example.com', 80, 'carol'),
      result('192.0.2.9', 80),
      result(null, 80),
      result('192.0.2.1', null),
    ];
    expect(match(proxies, results)).toEqual({ ids: [], unmatched: 5 });
  });
});
