// Tests that a probe on request that the stop of the daemon cuts off costs what a proxy on loopback saw of it.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { makeProbe } from '../../../src/prober/make-probe.ts';
import { FakeProxy } from '../../prober/fake-proxy.ts';
import { Harness } from '../../support/harness.ts';
import { START } from './probes-harness.ts';

/** Refuses the first connection. Opens a tunnel for each later one, and then reports the first bytes in it. */
const startProxy = async () => {
  const inTunnel = Promise.withResolvers<Socket>();
  const proxy = await FakeProxy.start((socket) => {
    if (proxy.connections === 1) socket.once('data', () => socket.end('HTTP/1.1 502 No\r\n\r\n'));
    else
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.once('data', () => inTunnel.resolve(socket));
      });
  });
  return { proxy, inTunnel: inTunnel.promise };
};

const bytesOf = (socket: Socket): number => socket.bytesRead + socket.bytesWritten;

it('costs what the proxy saw, also after a restart', async () => {
  const { proxy, inTunnel } = await startProxy();
  await using _ = proxy;
  const line = `127.0.0.1:${proxy.port}:alice:hunter2`;
  await using harness = await Harness.build({
    ...{ now: START, firstStepHold: '0s', probe: makeProbe },
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      probes: {
        urls: [{ name: 'check', url: 'https://www.example.com/' }],
        proxies: [{ name: 'gateway', product_type: 'residential', proxy: line }],
        ...{ control: false, max_bytes_per_day: '10MB' },
      },
    },
  });
  const answer = harness.app.probeRequests.probe({ account: undefined, proxy: 'gateway', url: 'check' });
  const tunnel = await inTunnel;
  await harness.stop();
  expect(await answer).toMatchObject({ refusal: 'the daemon is stopping' });
  if (!tunnel.closed) await once(tunnel, 'close');
  await harness.restart();
  const taken = [...proxy.sockets].reduce((sum, socket) => sum + bytesOf(socket), 0);
  expect(bytesOf(tunnel)).toBeGreaterThan(100);
  const samples = await harness.samples();
  expect(samples.value('proxywatch_probe_budget_remaining_bytes')).toBe(10e6 - taken);
  const counted = ['sent', 'received'].map((direction) =>
    samples.value('proxywatch_probe_bytes_total', { url: 'check', direction }),
  );
  expect(counted.reduce((sum: number, bytes) => sum + (bytes ?? 0), 0)).toBe(taken);
});
