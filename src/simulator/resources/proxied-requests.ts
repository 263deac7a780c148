// Simulates the log of requests. It follows from the traffic, so millions of rows can be counted without making them.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import { type ProductType, userId } from '../identities.ts';
import type { LocalTime } from '../local-time.ts';
import { draw, hashText, mix } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PublishedTraffic } from '../traffic/published-traffic.ts';
import type { Item } from './search.ts';

/** Rows of one minute with the same product type and code, numbered from 0. */
export interface Cell {
  readonly minute: number;
  readonly type: ProductType;
  readonly code: number;
  readonly rows: number;
}

/** Rows are kept for this long. */
export const LOG_KEPT_MS = 7 * DAY;
const SUCCESS = 200;
/** Traffic does not change any more this long after its minute. */
const FINAL_MS = 10 * DAY;
const MAX_CACHED_MINUTES = 20_000;

export class ProxiedRequests {
  readonly #scenario: Scenario;
  readonly #traffic: PublishedTraffic;
  readonly #local: LocalTime;
  readonly #minutes = new Map<number, readonly Cell[]>();

  constructor(scenario: Scenario, traffic: PublishedTraffic, local: LocalTime) {
    this.#scenario = scenario;
    this.#traffic = traffic;
    this.#local = local;
  }

  /** Returns the cells of a minute, ordered by product type and code, with all their rows. */
  cells(minute: number): readonly Cell[] {
    const cells = this.#minutes.get(minute) ?? PRODUCT_TYPES.flatMap((type) => this.#cellsOf(minute, type));
    if (this.#minutes.size >= MAX_CACHED_MINUTES) this.#minutes.clear();
    this.#minutes.set(minute, cells);
    return cells;
  }

  /** Returns how many rows of a cell the log has at `at` (ms): it has those of a minute at its end, and a few only later. */
  visibleRows({ minute, rows }: Cell, at: number): number {
    const { late } = this.#scenario.log;
    const end = minute + MINUTE;
    if (at < end || at > end + LOG_KEPT_MS) return 0;
    return at >= end + late.by_ms ? rows : rows - Math.floor(rows * late.ratio);
  }

  item(cell: Cell, row: number): Item {
    const { minute, type, code } = cell;
    const { users, hostnames, traffic } = this.#scenario;
    const hash = hashOf(minute, type, code, row);
    // The first users fail most often.
    const user = Math.floor(draw(hash, 1) ** 2 * users);
    const host = hostnames[Math.floor(draw(hash, 2) * hostnames.length)] ?? '';
    const size = code === SUCCESS ? traffic.bytes_per_request : 1_000;
    return {
      log_id: idOf(cell, row),
      log_request_datetime: this.#local.datetime(minute + Math.floor(draw(hash, 0) * 60) * SECOND),
      log_network: type,
      proxy_user_id: userId(user),
      service_id: null,
      proxy_id: null,
      log_protocol: 'http',
      log_protocol_version: '1.1',
      log_transport: 'tcp',
      log_method: 'CONNECT',
      log_hostname: host,
      log_status_code: code,
      log_total_bytes: Math.floor(size * (0.5 + draw(hash, 3))),
      log_concurrency: 1,
      log_total_elapsed_ms: 100 + Math.floor(900 * draw(hash, 4)),
      log_handshake_elapsed_ms: 40,
      log_tunnel_elapsed_ms: 60,
      log_client_ip_address: this.#clientOf(user, minute, hash),
      log_egress_ip_address: '203.0.113.7',
      log_local_ip_address: '203.0.113.8',
      log_local_port: 8000,
      log_session_id: null,
      log_is_tls_enabled: true,
      log_smartpath_enabled: false,
      log_smartpath_routed: false,
      country_id: 'gb',
      city_alias: 'london',
      asn_id: 29_802,
    };
  }

  /** A user has a few addresses, besides those of strangers. */
  #clientOf(user: number, minute: number, hash: number): string {
    const stranger = this.#scenario.log.leaks.find(
      (leak) => leak.user === user && minute >= Date.parse(leak.from) && draw(hash, 6) < leak.ratio,
    );
    return stranger?.address ?? `198.51.100.${(3 * user + Math.floor(3 * draw(hash, 5))) % 250}`;
  }

  #cellsOf(minute: number, type: ProductType): Cell[] {
    const selection = this.#traffic.select({ network: type });
    const { requests, failed } = this.#traffic.sum(selection, minute, minute + MINUTE, minute + FINAL_MS);
    const codes = Object.entries(this.#scenario.log.codes);
    const weights = codes.reduce((sum, [, weight]) => sum + weight, 0);
    // Of few errors, the minute decides which codes have them.
    const shift = draw(mix(hashText(type), minute / MINUTE), 9);
    let [weight, done] = [0, 0];
    const cells = codes.map(([code, each]) => {
      weight += each;
      const until = weight === weights ? failed : Math.floor((failed * weight) / weights + shift);
      const rows = Math.min(failed, until) - done;
      done += rows;
      return { minute, type, code: Number(code), rows };
    });
    const success = { minute, type, code: SUCCESS, rows: requests - failed };
    return [success, ...cells].filter(({ rows }) => rows > 0).sort((a, b) => a.code - b.code);
  }
}

const hashOf = (minute: number, type: ProductType, code: number, row: number): number =>
  mix(mix(mix(hashText(type), minute / MINUTE), code), row);

/** Ids have the order of the cells and of their rows. */
const idOf = ({ minute, type, code }: Cell, row: number): string => {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const place = hex(PRODUCT_TYPES.indexOf(type), 4);
  return `${hex(minute / MINUTE, 8)}-${place}-4000-a000-${hex(code, 4)}${hex(row, 8)}`;
};
