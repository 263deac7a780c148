// Tests that each version of Prometheus that scrapes an account as OpenMetrics and as text stores the exposed values.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SECOND } from '../../src/lib/time.ts';
import { getText, waitUntil } from '../cli/program.ts';
import { ApiHarness } from '../http/api/api-harness.ts';
import { parse } from '../metrics/support.ts';
import { engines } from './engines.ts';
import { startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

/** The Accept header of a scrape (undefined: Prometheus's own), and the expected content type. */
const FORMATS = {
  openmetrics: { accept: undefined, contentType: /^application\/openmetrics-text/ },
  text: { accept: 'text/plain;version=0.0.4', contentType: /^text\/plain; version=0\.0\.4/ },
} as const;
type Format = keyof typeof FORMATS;

/** Forwards scrapes with another Accept header, because Prometheus 2.42 always requests OpenMetrics. */
class ScrapeProxy implements AsyncDisposable {
  readonly contentTypes = new Set<string>();
  readonly #server;

  constructor(target: string, wanted: string | undefined) {
    // Prometheus may give up a scrape of a slow machine, and the daemon may stop during one: neither is an error.
    this.#server = createServer((request, response) => {
      this.#forward(target, wanted ?? request.headers.accept ?? '', response).catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
  }

  async address(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #forward(target: string, accept: string, response: ServerResponse): Promise<void> {
    const answer = await fetch(`${target}/metrics`, { headers: { accept } });
    const contentType = answer.headers.get('content-type') ?? '';
    this.contentTypes.add(contentType);
    response.writeHead(answer.status, { 'content-type': contentType });
    if (answer.body) await pipeline(answer.body, response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await this.#server[Symbol.asyncDispose]();
  }
}

const CASES = engines('prometheus').flatMap(({ name, path: program }) =>
  (Object.keys(FORMATS) as Format[]).map((format) => ({ name, program, format })),
);

describeWith(['prometheus'], 'Prometheus', () => {
  let api: ApiHarness;
  beforeAll(async () => {
    api = await ApiHarness.build();
    await api.run(3);
  });
  afterAll(() => api[Symbol.asyncDispose]());

  // All mostly wait for scrapes.
  test.concurrent.each(CASES)(
    '$name stores the exposed values, scraped as $format',
    async ({ program, format }) => {
      const { accept, contentType } = FORMATS[format];
      const { url } = api;
      await using proxy = new ScrapeProxy(url, accept);
      await using prometheus = await startPrometheus({ program, targets: [await proxy.address()] });
      const firstValue = async (expression: string) => (await prometheus.query(expression))[0]?.value;
      await waitUntil(async () => (await firstValue('up')) === 1);

      // Prometheus must have those values that are the same before and after its newest scrape.
      const before = await scrape(url);
      const scrapedAt = Date.now();
      // A busy machine misses scrapes, and after each of them nothing has a value.
      let newest = 0;
      await waitUntil(async () => {
        newest = (await firstValue('timestamp(up) and up == 1')) ?? 0;
        return newest * SECOND > scrapedAt;
      });
      const newestSamples = await prometheus.query(`{job="proxywatch"} @ ${newest}`);
      const stored = new Map(newestSamples.map(({ labels, value }) => [keyOf(labels), value]));
      const after = await scrape(url);
      const unchanged = [...before].filter(([key, value]) => after.get(key) === value);

      expect(unchanged.length).toBeGreaterThan(1_000);
      expect(unchanged.filter(([key, value]) => stored.get(key) !== value)).toEqual([]);
      expect([...proxy.contentTypes]).toEqual([expect.stringMatching(contentType)]);
    },
  );
});

/** A gauge that may rise and fall between two scrapes. */
const MOMENTARY = 'proxywatch_api_requests_waiting';

/** Returns the samples without those of the process, which change at every scrape or are equal by chance. */
const scrape = async (url: string): Promise<Map<string, number>> => {
  const samples = parse(await getText(`${url}/metrics`)).filter(
    ({ name }) => name.startsWith('proxywatch_') && name !== MOMENTARY,
  );
  return new Map(samples.map(({ name, labels, value }) => [keyOf({ ...labels, __name__: name }), value]));
};

/** Formats labels in a fixed order, without those that Prometheus adds and without empty ones, which it drops. */
const keyOf = ({ job: _, instance: __, ...labels }: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join();
