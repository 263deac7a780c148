// A provider of one listing. It holds the first page back until the benchmark lets the poll go on, so that the CPU time of
// exactly one poll can be read, and it knows how many rows change in between.

import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { randomNumbers } from './harness.ts';
import { listen } from './processes.ts';

const PAGE = 100;

/** Settings of an account that polls one collector, and begins a poll at the first second after the last one. */
const only = (collector: string, options: object = {}) => ({
  ...{ traffic: false, residential_ledger: false, proxy_users: false },
  ...{ [collector]: { schedule: '* * * * * *', ...options } },
  ...{ requests_per_second: 1_000_000, request_timeout: '10m' },
});
export const USERS_ONLY = only('proxy_users');
export const USAGE_ONLY = only('usage', { max_pages: 10_000 });

export abstract class ListingProvider {
  protected readonly used: Float64Array;
  /** The numbers of the rows that are listed. */
  protected readonly all: readonly number[];
  readonly #random = randomNumbers(1);
  readonly #events = new EventEmitter();
  readonly #server = createServer((request, response) => this.#answer(request.url ?? '', response));
  #held: (() => void) | undefined;

  /** Providers with as many rows list the same rows, which change in the same way. */
  constructor(rows: number) {
    this.used = new Float64Array(rows).map(() => this.#bytes());
    this.all = [...this.used.keys()];
  }

  protected abstract readonly endpoint: string;
  /** Returns the numbers of the rows that are listed; undefined for a listing without rows that is not held. */
  protected abstract rowsFor(query: URLSearchParams): readonly number[] | undefined;
  protected abstract item(row: number): object;

  /** Returns the base url. */
  async listen(stack: AsyncDisposableStack): Promise<string> {
    this.#server.keepAliveTimeout = 3_600_000;
    const port = await listen(stack, this.#server);
    stack.defer(() => this.#server.closeAllConnections());
    return `http://127.0.0.1:${port}/1.0`;
  }

  /** Lets a share of the rows use bytes. */
  change(share: number): void {
    for (const row of this.all) if (this.#random() < share) this.use(row, this.#bytes());
  }

  protected use(row: number, bytes: number): void {
    this.used[row] = (this.used[row] ?? 0) + bytes;
  }

  /** Resolves when a poll waits for its first page, so the previous one has been stored and rendered. */
  async held(): Promise<void> {
    if (!this.#held) await once(this.#events, 'held');
  }

  /** Answers a poll that is held. Resolves when its last page has been sent. */
  async release(): Promise<void> {
    const [send, sent] = [this.#held, once(this.#events, 'last page')];
    this.#held = undefined;
    if (!send) throw new Error('no poll is held');
    send();
    await sent;
  }

  #answer(url: string, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://provider.example');
    const page = Number(searchParams.get('page'));
    const rows = pathname.endsWith(this.endpoint) ? this.rowsFor(searchParams) : undefined;
    if (!pathname.endsWith(this.endpoint)) response.writeHead(404).end('{}');
    else if (page > 1 || !rows) this.#send(page, response, rows ?? []);
    else {
      this.#held = () => this.#send(1, response, this.rowsFor(searchParams) ?? [], true);
      this.#events.emit('held');
    }
  }

  #send(page: number, response: ServerResponse, rows: readonly number[], isHeld = page > 1): void {
    const [total, data] = [rows.length, rows.slice(PAGE * (page - 1), PAGE * page)];
    const paging = { item_count: data.length, page, per_page: PAGE, total_count: total };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: data.map((row) => this.item(row)), message: 'ok', ...paging }));
    if (isHeld && PAGE * page >= total) this.#events.emit('last page');
  }

  #bytes(): number {
    return Math.floor(1e9 * this.#random());
  }
}

export class UsersProvider extends ListingProvider {
  /** Whether the provider lists no users, as if all were removed. */
  isEmpty = false;
  /** Whether the limit of every user is reached. */
  isExhausted = false;
  protected readonly endpoint = '/proxy_user/search';

  protected rowsFor(): readonly number[] {
    return this.isEmpty ? [] : this.all;
  }

  protected item(n: number): object {
    const used = this.used[n] ?? 0;
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

const HOSTNAMES = 20;
const idOf = (n: number): string => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
const datetime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

/** Lists the use of the newest day that was requested. The time of the last update moves, or stays. */
export class UsageProvider extends ListingProvider {
  protected readonly endpoint = '/log_summary/search';
  readonly #updated = new Float64Array(this.all.length).fill(Date.now() - 366 * 86_400_000);
  readonly #hasUpdates: boolean;
  #day = '';
  #now = Date.now() - 365 * 86_400_000;

  constructor(rows: number, hasUpdates: boolean) {
    super(rows);
    this.#hasUpdates = hasUpdates;
  }

  /** Two polls are two hours apart, which is longer than the overlap of readings of changed rows. */
  override change(share: number): void {
    this.#now += 2 * 3_600_000;
    super.change(share);
  }

  protected override use(row: number, bytes: number): void {
    super.use(row, bytes);
    if (this.#hasUpdates) this.#updated[row] = this.#now;
  }

  protected rowsFor(query: URLSearchParams): readonly number[] | undefined {
    const day = query.get('min_log_summary_period')?.slice(0, 10) ?? '';
    if (day > this.#day) this.#day = day;
    if (day < this.#day) return undefined;
    const since = query.get('min_log_summary_last_update_datetime');
    return since === null ? this.all : this.all.filter((row) => datetime(this.#updated[row] ?? 0) >= since);
  }

  protected item(n: number): object {
    const bytes = this.used[n] ?? 0;
    const requests = Math.floor(bytes / 1_000);
    const host = `host-${n % HOSTNAMES}.example`;
    return {
      ...{ log_summary_id: idOf(n), log_summary_period: `${this.#day} 00:00:00`, customer_id: 4711 },
      proxy_user_id: `user-${String(Math.floor(n / HOSTNAMES)).padStart(6, '0')}`,
      ...{
        log_summary_network: 'residential',
        log_summary_domain: host,
        log_summary_hostname: `www.${host}`,
      },
      ...{ log_summary_bytes: bytes, log_summary_requests: requests },
      ...{ log_summary_charged_bytes: bytes, log_summary_charged_requests: requests },
      ...{ log_summary_smartpath_enabled_bytes: 0, log_summary_smartpath_enabled_requests: 0 },
      ...{ log_summary_smartpath_routed_bytes: 0, log_summary_smartpath_routed_requests: 0 },
      log_summary_creation_datetime: `${this.#day} 00:05:00`,
      log_summary_last_update_datetime: datetime(this.#updated[n] ?? 0),
    };
  }
}
