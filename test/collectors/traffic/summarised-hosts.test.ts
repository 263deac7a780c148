// Tests slices of host names that the provider summarises.

import { expect, it } from 'vitest';
import { MINUTE } from '../../../src/lib/time.ts';
import { buildTraffic } from './support.ts';

it('a slice of a summary is requested by this name, and counts its traffic beside that of the host', async () => {
  const hostnames = ['shop.example', '*.shop.example', 'www.example.com'];
  const graphs = hostnames.map((hostname, index) => ({ name: `graph-${index}`, hostname }));
  await using harness = await buildTraffic({
    scenario: { hostnames },
    traffic: { graphs: graphs.slice(0, 2) },
  });
  await harness.advance(5 * MINUTE);
  const requested = harness.simulator.requests.recent.flatMap(({ query }) => query.hostname ?? []);
  expect([...new Set(requested)].toSorted()).toEqual(['*.shop.example', 'shop.example']);
  const samples = await harness.samples();
  const at = Date.parse('2026-07-06T12:05:00Z');
  for (const { name, hostname } of graphs.slice(0, 2)) {
    const [bucket] = harness.simulator.truth.buckets({ hostname }, 'minute', at, at + MINUTE);
    expect(bucket?.requests).toBeGreaterThan(0);
    expect(samples.value('proxywatch_graph_last_bucket_requests', { graph: name, hostname })).toBe(
      bucket?.requests,
    );
  }
});
