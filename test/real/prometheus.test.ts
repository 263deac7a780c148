// A real Prometheus scrapes the demo, as OpenMetrics and as text, and holds the values that we show.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { SECOND } from '../../src/lib/time.ts';
import { getText, Program, until } from '../cli/program.ts';
import { parse } from '../metrics/support.ts';
import { startPrometheus } from './prometheus-server.ts';
import { describeWith } from './with-programs.ts';

/** How a scrape asks, where not as Prometheus does, and what it must be answered. */
const FORMATS = {
  openmetrics: { accept: undefined, contentType: /^application\/openmetrics-text/ },
  text: { accept: 'text/plain;version=0.0.4', contentType: /^text\/plain; version=0\.0\.4/ },
} as const;
type Format = keyof typeof FORMATS;

/** Passes scrapes on in the format wanted: Prometheus 2.42 asks for OpenMetrics, and can't be told otherwise. */
class Gate implements AsyncDisposable {
  readonly contentTypes = new Set<string>();
  readonly #server;

  constructor(target: string, wanted: string | undefined) {
    this.#server = createServer(async ({ headers }, response) => {
      const answer = await fetch(`${target}/metrics`, {
        headers: { accept: wanted ?? headers.accept ?? '' },
      });
      const contentType = answer.headers.get('content-type') ?? '';
      this.contentTypes.add(contentType);
      response.writeHead(answer.status, { 'content-type': contentType });
      if (answer.body) await pipeline(answer.body, response);
    }).listen(0, '127.0.0.1');
  }

  async address(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await this.#server[Symbol.asyncDispose]();
  }
}

describeWith(['prometheus'], 'Prometheus', () => {
  test.each(Object.keys(FORMATS) as Format[])('holds what we show, scraped as %s', async (format) => {
    const { accept, contentType } = FORMATS[format];
    await using demo = Program.start(['demo', '--listen', '127.0.0.1:0']);
    const url = await demo.url();
    await using gate = new Gate(url, accept);
    await using prometheus = await startPrometheus({ targets: [await gate.address()] });
    const firstValue = async (expression: string) => (await prometheus.query(expression))[0]?.value;
    await until(async () => (await firstValue('up')) === 1);

    // What stays the same from before its newest scrape to after it is what it must hold.
    const before = await scrape(url);
    const scrapedAt = Date.now();
    await until(async () => ((await firstValue('timestamp(up)')) ?? 0) * SECOND > scrapedAt);
    const held = new Map(
      (await prometheus.query('{job="proxywatch"}')).map(({ labels, value }) => [keyOf(labels), value]),
    );
    const after = await scrape(url);
    const still = [...before].filter(([key, value]) => after.get(key) === value);

    expect(still.length).toBeGreaterThan(1_000);
    expect(still.filter(([key, value]) => held.get(key) !== value)).toEqual([]);
    expect([...gate.contentTypes]).toEqual([expect.stringMatching(contentType)]);
  });
});

/** Without those of the process, which are others at every scrape or, by chance, the same again. */
const scrape = async (url: string): Promise<Map<string, number>> => {
  const samples = parse(await getText(`${url}/metrics`)).filter(({ name }) => name.startsWith('proxywatch_'));
  return new Map(samples.map(({ name, labels, value }) => [keyOf({ ...labels, __name__: name }), value]));
};

/** Labels in one order, without those that Prometheus adds, and empty ones, which are none to it. */
const keyOf = ({ job: _, instance: __, ...labels }: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join();
