// Keeps the connections to one receiver, and replaces them when a file with a certificate or a key has changed.

import { Agent } from '../lib/undici.ts';
import type { TlsOptions } from './receiver-options.ts';

type TlsTexts = Readonly<Partial<Record<keyof TlsOptions, string>>>;

export class Connections implements AsyncDisposable {
  readonly #options: TlsOptions;
  #texts: TlsTexts | undefined;
  #agent: Agent | undefined;

  constructor(options: TlsOptions = {}) {
    this.#options = options;
  }

  /** Call it only while no request is in progress. */
  async current(): Promise<Agent> {
    const texts = textsOf(this.#options);
    if (this.#agent && isSame(texts, this.#texts)) return this.#agent;
    await this.#agent?.destroy();
    this.#texts = texts;
    // The time limit of the request is the only one. By default, undici waits at most five minutes.
    this.#agent = new Agent({ connect: texts, headersTimeout: 0, bodyTimeout: 0 });
    return this.#agent;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.destroy();
  }
}

const textsOf = ({ ca, cert, key }: TlsOptions): TlsTexts => ({
  ...(ca && { ca: ca.reveal() }),
  ...(cert && { cert: cert.reveal() }),
  ...(key && { key: key.reveal() }),
});

const isSame = (a: TlsTexts, b: TlsTexts = {}): boolean =>
  a.ca === b.ca && a.cert === b.cert && a.key === b.key;
