// Tests GET /probe: its answers, which requests it refuses, and that it passes on only names.

import { expect, it } from 'vitest';
import type { ProbeAnswer, ProbeOnRequest } from '../../src/http/daemon-view.ts';
import { startServer } from './support.ts';

const TEXT = 'probe_success 1\n';
const MEASURED: ProbeAnswer = { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: TEXT };

const startWith = async (answer: ProbeAnswer) => {
  const requests: ProbeOnRequest[] = [];
  const probe = async (request: ProbeOnRequest): Promise<ProbeAnswer> => {
    requests.push(request);
    return answer;
  };
  const server = await startServer({ probes: { probe } });
  return { ...server, requests, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

it('answers with the measured values', async () => {
  await using server = await startWith(MEASURED);
  const response = await fetch(`${server.url}/probe?proxy=dc-1&url=check&account=main`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await response.text()).toBe(TEXT);
  expect(server.requests).toEqual([{ account: 'main', proxy: 'dc-1', url: 'check', waitsMs: undefined }]);
});

it.each([
  ['10', 10_000],
  ['0.5', 500],
  ['-1', undefined],
  ['soon', undefined],
])('reads the scrape timeout %s of Prometheus', async (seconds, waitsMs) => {
  await using server = await startWith(MEASURED);
  const headers = { 'x-prometheus-scrape-timeout-seconds': seconds };
  await fetch(`${server.url}/probe?proxy=dc-1&url=check`, { headers });
  expect(server.requests[0]?.waitsMs).toBe(waitsMs);
});

it.each<[string, ProbeAnswer, number, string | null]>([
  ['what is not configured', { mistake: 'proxy: "x" is not configured' }, 400, null],
  ['too many probes', { refusal: '50 probes run already', retryAfterS: 30 }, 429, '30'],
])('refuses %s', async (_, answer, status, retryAfter) => {
  await using server = await startWith(answer);
  const response = await fetch(`${server.url}/probe?proxy=x&url=check`);
  expect(response.status).toBe(status);
  expect(response.headers.get('retry-after')).toBe(retryAfter);
  expect(await response.json()).toEqual({ error: Object.values(answer)[0] });
});

it.each([
  ['proxy=dc-1', 'url: give the name of a configured url of probes, as in the label url'],
  ['url=check', 'proxy: give the id of a configured proxy, as in the label proxy_id'],
  ['proxy=&url=check', 'proxy: give the id of a configured proxy, as in the label proxy_id'],
  ['proxy=a&proxy=b&url=check', 'proxy: give it once'],
])('refuses the query %s without a probe', async (query, error) => {
  await using server = await startWith(MEASURED);
  const response = await fetch(`${server.url}/probe?${query}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error });
  expect(server.requests).toEqual([]);
});

it.each([
  ['a web page', { origin: 'https://example.com' }],
  ['an image of a web page', { 'sec-fetch-site': 'cross-site' }],
])('refuses %s, because a probe costs bytes', async (_, headers) => {
  await using server = await startWith(MEASURED);
  const response = await fetch(`${server.url}/probe?proxy=dc-1&url=check`, { headers });
  expect(response.status).toBe(403);
  expect(server.requests).toEqual([]);
});

it('refuses HEAD and POST without a probe', async () => {
  await using server = await startWith(MEASURED);
  for (const method of ['HEAD', 'POST'])
    expect((await fetch(`${server.url}/probe?proxy=dc-1&url=check`, { method })).status).toBe(405);
  expect(server.requests).toEqual([]);
});
