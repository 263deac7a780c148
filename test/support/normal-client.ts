// A client that scrapes as Prometheus does, again and again, and measures how long each scrape takes.

import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface TimedScrape {
  readonly status: number | undefined;
  /** Length of the compressed body. */
  readonly bytes: number;
  readonly tookMs: number;
}

export class NormalClient implements AsyncDisposable {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly scrapes: TimedScrape[] = [];
  #isStopped = false;
  readonly #ended: Promise<void>;

  constructor(url: string, everyMs: number) {
    this.#url = `${url}/metrics`;
    this.#ended = this.#run(everyMs);
  }

  async #run(everyMs: number): Promise<void> {
    while (!this.#isStopped) {
      const pause = delay(everyMs);
      const startedAt = performance.now();
      const answer = await this.#scrape().catch(() => ({ status: undefined, bytes: 0 }));
      this.scrapes.push({ ...answer, tookMs: performance.now() - startedAt });
      await pause;
    }
  }

  /** Uses gzip, a connection that it keeps, and a new one if the server closed the connection between two scrapes. */
  #scrape(): Promise<Omit<TimedScrape, 'tookMs'>> {
    const { promise, resolve, reject } = Promise.withResolvers<Omit<TimedScrape, 'tookMs'>>();
    const headers = { 'accept-encoding': 'gzip' };
    const request = get(this.#url, { agent: this.#agent, headers }, (response) => {
      let bytes = 0;
      response.on('data', ({ length }) => {
        bytes += length;
      });
      response.on('end', () => resolve({ status: response.statusCode, bytes }));
      response.on('error', reject);
    });
    request.on('error', (error) => (request.reusedSocket ? resolve(this.#scrape()) : reject(error)));
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
    this.#agent.destroy();
  }
}
