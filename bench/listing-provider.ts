// A provider of proxy users alone. It holds the first page of each listing back until the benchmark lets the poll go on, so
// that the CPU time of exactly one poll can be read, and it knows how many users change in between.

import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { randomNumbers } from './harness.ts';
import { listen } from './processes.ts';

const PAGE = 100;

/** Settings of an account that polls nothing but users, and begins a poll at the first second after the last one. */
export const USERS_ONLY = {
  proxy_users: { schedule: '* * * * * *' },
  ...{ traffic: false, residential_ledger: false, requests_per_second: 1_000_000, request_timeout: '10m' },
};

export class UsersProvider {
  /** Whether the provider lists no users, as if all were removed. */
  isEmpty = false;
  /** Whether the limit of every user is reached. */
  isExhausted = false;
  readonly #used: Float64Array;
  readonly #random = randomNumbers(1);
  readonly #events = new EventEmitter();
  readonly #server = createServer((request, response) => this.#answer(request.url ?? '', response));
  #held: ServerResponse | undefined;

  /** Providers with as many users list the same users, which change in the same way. */
  constructor(users: number) {
    this.#used = new Float64Array(users).map(() => this.#bytes());
  }

  /** Returns the base url. */
  async listen(stack: AsyncDisposableStack): Promise<string> {
    this.#server.keepAliveTimeout = 3_600_000;
    const port = await listen(stack, this.#server);
    stack.defer(() => this.#server.closeAllConnections());
    return `http://127.0.0.1:${port}/1.0`;
  }

  /** Lets a share of the users use bytes. */
  change(share: number): void {
    for (let n = 0; n < this.#used.length; n += 1)
      if (this.#random() < share) this.#used[n] = (this.#used[n] ?? 0) + this.#bytes();
  }

  /** Resolves when a poll waits for its first page, so the previous one has been stored and rendered. */
  async held(): Promise<void> {
    if (!this.#held) await once(this.#events, 'held');
  }

  /** Answers a poll that is held. Resolves when its last page has been sent. */
  async release(): Promise<void> {
    const [response, sent] = [this.#held, once(this.#events, 'last page')];
    this.#held = undefined;
    if (!response) throw new Error('no poll is held');
    this.#send(1, response);
    await sent;
  }

  #answer(url: string, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://provider.example');
    const page = Number(searchParams.get('page'));
    if (!pathname.endsWith('/proxy_user/search')) response.writeHead(404).end('{}');
    else if (page > 1) this.#send(page, response);
    else {
      this.#held = response;
      this.#events.emit('held');
    }
  }

  #send(page: number, response: ServerResponse): void {
    const total = this.isEmpty ? 0 : this.#used.length;
    const [from, to] = [PAGE * (page - 1), Math.min(PAGE * page, total)];
    const data = Array.from({ length: Math.max(0, to - from) }, (_, n) => this.#user(from + n));
    const paging = { item_count: data.length, page, per_page: PAGE, total_count: total };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data, message: 'ok', ...paging }));
    if (to >= total) this.#events.emit('last page');
  }

  #bytes(): number {
    return Math.floor(1e9 * this.#random());
  }

  #user(n: number): object {
    const used = this.#used[n] ?? 0;
    const limit = this.isExhausted ? used : 1e12;
    return {
      ...{ proxy_user_id: `user-${String(n).padStart(6, '0')}`, proxy_user_password: `password-${n}` },
      ...{ customer_id: 4711, ip_address_authentications: [], proxy_user_ip_address_authentication_limit: 5 },
      ...{ proxy_user_access_type: 'all', restricted_proxy_ids: [], restricted_service_ids: [] },
      ...{ proxy_user_enforce_https: n % 5 === 0, proxy_user_is_default: n === 0 },
      ...{ proxy_user_is_deleted: false, proxy_user_is_strict_security: n % 10 === 0 },
      proxy_user_creation_datetime: '2026-01-01 12:00:00',
      proxy_user_last_update_datetime: '2026-01-02 12:00:00',
      proxy_user_metadata: n % 3 === 0 ? { team: `team-${n % 7}` } : {},
      ...{ proxy_user_residential_bytes_limit: limit, proxy_user_residential_bytes_used: used },
      ...{ residential_bytes_left: limit - used, proxy_user_mobile_bytes_limit: null },
      ...{ proxy_user_mobile_bytes_used: 0, mobile_bytes_left: null },
    };
  }
}
