// Tests that slow lookups of some names are not blamed on proxies with other names.

import { expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { createProbe } from '../../src/prober/make-probe.ts';
import type { Answer } from '../../src/prober/names.ts';
import type { ProbeRequest } from '../../src/prober/probe.ts';
import { FakeProxy } from './fake-proxy.ts';
import { outcomeOf, proxyAt, TIMEOUTS } from './run-probe.ts';

const requestTo = (host: string, port: number, more: Partial<ProbeRequest> = {}): ProbeRequest => ({
  proxy: proxyAt(port, { host }),
  target: { url: new Secret('https://shop.example/'), depth: 'tunnel' },
  ...{ timeouts: TIMEOUTS, signal: new AbortController().signal },
  ...more,
});

it('a probe that waits too long for other lookups says that this machine is slow', async () => {
  const looked: string[] = [];
  const probe = createProbe({ lookup: (host) => void looked.push(host) });
  const end = new AbortController();
  const slow = ['a', 'b'].map((host) =>
    probe(requestTo(host, 1, { signal: end.signal })).catch(() => 'ended'),
  );
  const result = await probe(requestTo('c', 1, { timeouts: { ...TIMEOUTS, resolve: 50 } }));
  expect([outcomeOf(result), result.phases, looked]).toEqual(['resolve_local', {}, ['a', 'b']]);
  end.abort();
  expect(await Promise.all(slow)).toEqual(['ended', 'ended']);
});

it('a probe whose own lookup is slow says so', async () => {
  const probe = createProbe({ lookup: () => {} });
  const result = await probe(requestTo('a', 1, { timeouts: { ...TIMEOUTS, resolve: 50 } }));
  expect([outcomeOf(result), Object.keys(result.phases)]).toEqual(['resolve_timeout', ['resolve']]);
});

it('many probes of one name need one lookup', async () => {
  const ends: ((answer: Answer) => void)[] = [];
  const probe = createProbe({ lookup: (_, onEnd) => void ends.push(onEnd) });
  await using proxy = await FakeProxy.start((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  const probes = Array.from({ length: 20 }, () => probe(requestTo('gate.example.com', proxy.port)));
  ends[0]?.(['127.0.0.1']);
  const results = await Promise.all(probes);
  expect(new Set(results.map(outcomeOf))).toEqual(new Set(['ok']));
  expect(ends).toHaveLength(1);
});
