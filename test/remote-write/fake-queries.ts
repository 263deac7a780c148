// Answers the queries of `remote-write verify` from what a receiver accepted, as the query API of an engine does.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RecordingReceiver, Reply } from './recording-receiver.ts';

const SUM = /label_replace\(sum by \(([^)]*)\) \(sum_over_time\((\w+)\{(.*?)\}\[(\d+)ms\]\)\), "family"/g;

interface StoredSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly at: number;
  readonly value: number;
}

export class FakeQueries implements AsyncDisposable {
  /** Override it to answer otherwise. */
  respond: (headers: IncomingHttpHeaders) => Reply | undefined = () => undefined;
  /** Changes the value of a stored sample; undefined if it is lost. */
  change: (sample: StoredSample) => number | undefined = ({ value }) => value;
  requests = 0;
  readonly #server: Server;

  private constructor(receiver: RecordingReceiver) {
    this.#server = createServer(async (request, response) => {
      this.requests += 1;
      const form = new URLSearchParams(await text(request));
      const reply = this.respond(request.headers) ?? { status: 200, text: this.#answer(receiver, form) };
      response.writeHead(reply.status, reply.headers).end(reply.text);
    });
  }

  static async start(receiver: RecordingReceiver): Promise<FakeQueries> {
    const queries = new FakeQueries(receiver);
    queries.#server.listen(0, '127.0.0.1');
    await once(queries.#server, 'listening');
    return queries;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(receiver: RecordingReceiver, form: URLSearchParams): string {
    const end = Math.round(Number(form.get('time')) * 1_000);
    const stored = this.#stored(receiver);
    const result = [...(form.get('query') ?? '').matchAll(SUM)].flatMap(
      ([, by = '', name = '', selector = '', range]) => {
        const selected = { __name__: name, ...labelsIn(selector) };
        const found = stored.filter(
          ({ labels, at }) =>
            at <= end &&
            at > end - Number(range) &&
            Object.entries(selected).every(([label, value]) => labels[label] === value),
        );
        const groups = Map.groupBy(found, ({ labels }) =>
          JSON.stringify(Object.fromEntries(by.split(', ').flatMap((key) => entryOf(labels, key)))),
        );
        return [...groups].map(([labels, samples]) => ({
          metric: { ...JSON.parse(labels), family: name },
          value: [end / 1_000, String(samples.reduce((sum, { value }) => sum + value, 0))],
        }));
      },
    );
    return JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
  }

  /** A sample that came twice counts once. */
  #stored({ accepted }: RecordingReceiver): StoredSample[] {
    const samples = new Map<string, StoredSample>();
    for (const { labels: pairs, samples: ofSeries } of accepted.flatMap(({ series }) => series))
      for (const sample of ofSeries) {
        const labels = Object.fromEntries(pairs);
        const value = this.change({ labels, ...sample });
        if (value !== undefined)
          samples.set(JSON.stringify([pairs, sample.at]), { labels, ...sample, value });
      }
    return [...samples.values()];
  }
}

const labelsIn = (selector: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...selector.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g)].map(([, label, value]) => [
      label,
      JSON.parse(value ?? '""'),
    ]),
  );

const entryOf = (labels: Readonly<Record<string, string>>, key: string): [string, string][] => {
  const value = labels[key];
  return value === undefined ? [] : [[key, value]];
};
