// Requests metrics, page and API as clients do: with other formats, with the tags of earlier answers, and breaking off.

import { get } from 'node:http';

/** Answers that a client may get while the daemon is healthy or not. */
const EXPECTED = new Set([200, 304, 404, 503]);
const SCRAPES: readonly (readonly [path: string, headers: Record<string, string>])[] = [
  ['/metrics', {}],
  ['/metrics', { accept: 'application/openmetrics-text', 'accept-encoding': 'gzip' }],
  ['/metrics?collector=traffic', { 'accept-encoding': 'gzip' }],
  ['/metrics?account=main', { 'accept-encoding': 'identity' }],
];
const API = [
  'status',
  'accounts',
  'collectors',
  'store',
  'alerts',
  'graphs',
  'accounts/main/traffic',
  'ledger',
  'ledger/days',
  'ledger/rows',
  'users',
  'users/summary',
  'accounts/main/users/user-000001',
  'failures',
  'proxies',
  'testers',
  'targets',
  'uptimes?kind=proxy',
  'faults',
  'inventory',
  'inventory/changes',
  'services',
  'products',
  'places',
  'quotes',
  'reconciliation',
  'provider-report',
  'openapi.json',
].map((path) => `/api/v1/${path}`);
const OTHERS = ['/', '/-/ready', '/-/healthy', '/?account=main', '/nothing'];

export class Clients {
  readonly #url: string;
  readonly #tags = new Map<string, string>();
  #round = 0;
  /** Number of whole answers. */
  answers = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends some requests, others each time. */
  async visit(): Promise<void> {
    this.#round += 1;
    const [path, headers] = pick(SCRAPES, this.#round);
    await this.#request(path, headers);
    for (const offset of [0, 7, 19]) await this.#request(pick(API, this.#round + offset));
    await this.#request(pick(OTHERS, this.#round));
    if (this.#round % 10 === 0) await this.#breakOff('/metrics');
  }

  async #request(path: string, headers: Record<string, string> = {}): Promise<void> {
    const tag = this.#tags.get(path);
    const response = await fetch(`${this.#url}${path}`, {
      headers: { ...headers, ...(tag === undefined ? {} : { 'if-none-match': tag }) },
    });
    await response.arrayBuffer();
    const { status } = response;
    if (!EXPECTED.has(status)) throw new Error(`${path} answered ${status}`);
    this.answers += 1;
    const newTag = response.headers.get('etag');
    if (newTag !== null) this.#tags.set(path, newTag);
  }

  /** Closes the connection as soon as the answer begins. */
  #breakOff(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = get(`${this.#url}${path}`, { agent: false }, (response) => {
        response.destroy();
        resolve();
      });
      request.on('error', reject);
    });
  }
}

const pick = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;
