// Stands between the daemon and an engine, and loses samples that it answers for, as Prometheus does.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Sample, type Series, withSamples } from '../../../src/remote-write/series.ts';
import { writeRequestBody } from '../../../src/remote-write/write-request.ts';
import { decodeBody } from '../../remote-write/decode.ts';
import type { Engine } from './engines.ts';

export type Loses = (sample: Sample, labels: Readonly<Record<string, string>>) => boolean;

export class LossyRelay implements AsyncDisposable {
  /** Set it to lose samples from then on. */
  loses: Loses = () => false;
  /** How many samples were lost. */
  lost = 0;
  readonly #engine: Engine;
  readonly #server: Server;

  private constructor(engine: Engine) {
    this.#engine = engine;
    this.#server = createServer(async (request, response) => {
      const { status, text } = await this.#pass(request);
      response.writeHead(status).end(text);
    });
  }

  static async start(engine: Engine): Promise<LossyRelay> {
    const relay = new LossyRelay(engine);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1/write`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(request: IncomingMessage): Promise<{ status: number; text: string }> {
    const kept = withSamples(decodeBody(await buffer(request)), (sample, labels) => {
      const isLost = this.loses(sample, labelsOf(labels));
      if (isLost) this.lost += 1;
      return !isLost;
    });
    const answer = await fetch(`${this.#engine.url}/api/v1/write`, {
      ...{ method: 'POST', body: writeRequestBody(kept) },
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    });
    return { status: answer.status, text: await answer.text() };
  }
}

const labelsOf = (labels: Series['labels']): Readonly<Record<string, string>> => Object.fromEntries(labels);
