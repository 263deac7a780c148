// Tests the collector with the real prober: a proxy on loopback that refuses, and what the daemon stores about it.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { makeProbe } from '../../../src/prober/make-probe.ts';
import { Harness } from '../../support/harness.ts';
import { START } from './probes-harness.ts';

const REQUEST_ID = '7e0b8a52-13f0-4a8e-9d3c-0f3a0a3d7c11';
const ANSWER = `HTTP/1.1 429 Too Many Requests\r\nx-byteful-status-code: 4221\r\nx-byteful-request-id: ${REQUEST_ID}\r\nconnection: close\r\n\r\n`;

/** A proxy that refuses every tunnel for quota, and counts the bytes that it receives. */
const startProxy = async () => {
  const proxy = { received: 0, connections: 0 };
  const server = createServer((socket) => {
    proxy.connections += 1;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      proxy.received += chunk.length;
      if (chunk.includes('\r\n\r\n')) socket.end(ANSWER);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, { port, [Symbol.dispose]: () => void server.close() });
};

it('a refusal is stored with its code and request id, and its bytes are those of the proxy', async () => {
  using proxy = await startProxy();
  const line = `127.0.0.1:${proxy.port}:alice:hunter2`;
  await using harness = await Harness.build({
    ...{ now: START, firstStepHold: '0s', probe: makeProbe },
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      probes: {
        urls: [{ name: 'check', url: 'https://www.example.com/?token=t0ken', depth: 'tunnel' }],
        proxies: [{ name: 'gateway', product_type: 'residential', proxy: line }],
        control: false,
      },
    },
  });
  const [failure] = await harness.app.store.probes.failures('probes/main', 'gateway');
  expect(failure).toMatchObject({
    ...{ phase: 'tunnel', cause: 'quota', status: 429, code: '4221', requestId: REQUEST_ID },
  });
  const samples = await harness.samples();
  const bytes = 'proxywatch_probe_bytes_total';
  expect(samples.value(bytes, { url: 'check', direction: 'sent' })).toBe(proxy.received);
  expect(samples.value(bytes, { url: 'check', direction: 'received' })).toBe(ANSWER.length);
  expect(samples.value('proxywatch_probe_refusals_total', { class: 'quota' })).toBe(1);
  expect(samples.value('proxywatch_probe_budget_remaining_bytes')).toBe(
    500 * 2 ** 20 - proxy.received - ANSWER.length,
  );
  expect(proxy.connections).toBe(1);
  expect(await harness.metricsText()).not.toMatch(/hunter2|t0ken/);
});
