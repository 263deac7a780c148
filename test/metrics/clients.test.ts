// Tests scrapes over real HTTP with different clients. For example, curl stops after the first gzip member.

import { execFile, spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gauge } from '../../src/lib/family.ts';
import { DaemonMetrics } from '../../src/metrics/daemon-metrics.ts';
import { Exposition } from '../../src/metrics/exposition.ts';
import { negotiate } from '../../src/metrics/negotiate.ts';

const run = promisify(execFile);
const SERIES = 5_000;
const FAMILY = gauge('proxywatch_example_bytes', 'Source: the test; in bytes.', ['proxy_user_id']);

// If a tool is missing, its test is skipped on a developer's machine and fails in CI.
const isMissing = (tool: string): boolean =>
  process.env.CI === undefined && spawnSync(tool, ['--version']).error !== undefined;

let server: Server;
let url: string;

beforeAll(async () => {
  const daemon = new DaemonMetrics({ version: '1.2.3', nodeVersion: '24.0.0' });
  daemon.expectEndpoint('main', 'user');
  daemon.expectCollector('main', 'traffic');
  daemon.provider.watchPace('main', { waiting: 0, limitPerSecond: 8, configuredPerSecond: 8 });
  daemon.store.watch(() => ({ bytes: 4_096, walBytes: 0 }));
  daemon.reloaded(true, 1_700_000_000_000);
  const exposition = new Exposition([FAMILY], daemon);
  await exposition.render({ collector: 'users', account: 'main' }, async (sink) => {
    for (let user = 0; user < SERIES; user += 1) sink.sample(FAMILY, { proxy_user_id: `user-${user}` }, user);
  });
  server = createServer(async ({ headers }, response) => {
    const scrape = await exposition.scrape(negotiate(headers.accept, headers['accept-encoding']));
    response.setHeader('Content-Type', scrape.contentType).setHeader('Content-Length', scrape.contentLength);
    if (scrape.contentEncoding) response.setHeader('Content-Encoding', scrape.contentEncoding);
    scrape.body.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => void server.close());

const samplesIn = (exposition: string): string[] =>
  exposition.split('\n').filter((line) => line.startsWith(FAMILY.name));

const fetchText = async (headers: Record<string, string>): Promise<string> =>
  (await fetch(url, { headers })).text();

describe('a client', () => {
  it('reads the same samples compressed and plain', async () => {
    const plain = samplesIn(await fetchText({ 'accept-encoding': 'identity' }));
    expect(plain).toHaveLength(SERIES);
    expect(samplesIn(await fetchText({ 'accept-encoding': 'gzip' }))).toEqual(plain);
  });

  it('that asks for OpenMetrics gets the same samples and the end marker', async () => {
    const openmetrics = await fetchText({ accept: 'application/openmetrics-text;version=1.0.0' });
    expect(samplesIn(openmetrics)).toEqual(samplesIn(await fetchText({ accept: 'text/plain' })));
    expect(openmetrics.endsWith('\n# EOF\n')).toBe(true);
  });

  it.skipIf(isMissing('curl'))('such as curl --compressed gets all samples', async () => {
    const curl = async (...options: string[]): Promise<string> =>
      (await run('curl', ['--silent', '--show-error', ...options, url], { maxBuffer: 2 ** 26 })).stdout;
    const compressed = samplesIn(await curl('--compressed'));
    expect(compressed).toEqual(samplesIn(await curl()));
    expect(compressed).toHaveLength(SERIES);
  });

  it.skipIf(isMissing('promtool'))('such as promtool reports no problems', async () => {
    const checking = run('promtool', ['check', 'metrics']);
    checking.child.stdin?.end(await fetchText({}));
    await expect(checking).resolves.toEqual({ stdout: '', stderr: '' });
  });
});
