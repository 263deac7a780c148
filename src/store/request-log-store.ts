// Defines the store of counted requests and errors, by hour, and of what samples show of errors and clients.

import type { Range } from '../lib/time.ts';
import type { Counter } from './counter.ts';

/** Failed requests of a class with the same code. The code has its first three digits; empty if there is none. */
export interface ErrorCount {
  readonly class: string;
  readonly code: string;
  readonly errors: number;
}

export interface RequestCount {
  readonly productType: string;
  readonly requests: number;
  readonly errors: readonly ErrorCount[];
}

export const SAMPLE_KINDS = ['user', 'hostname', 'class'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** Estimated sums of the errors of a class. The variance is 0 if all errors were read, and null if it is not known. */
export interface SampledSum {
  readonly kind: SampleKind;
  /** The user or host name; empty if the provider does not say it. */
  readonly name: string;
  readonly class: string;
  readonly errors: number;
  readonly errorsVariance: number | null;
  /** Null if the provider did not give them. */
  readonly bytes: number | null;
}

/** A range of minutes within an hour (ms). */
export type LogWindow = Range;

export interface WindowResult extends LogWindow {
  /** Null if the requests could not be counted. */
  readonly counts: readonly RequestCount[] | null;
  readonly samples: readonly SampledSum[];
  /** Undefined if the addresses were not read. */
  readonly clients?: ClientSample | undefined;
}

/** What was seen of a client that uses the login of a user: a program with an IPv4 address, or in an IPv6 network. */
export interface ClientSighting {
  readonly user: string;
  /** A keyed hash of the address. */
  readonly client: string;
  /** Whether the address is an expected one; null if there is nothing to compare it with. */
  readonly isExpected: boolean | null;
  /** The network of an unknown address, if it is to be stored. */
  readonly network: string | null;
  /** The first and the last request (ms). */
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface ClientSample {
  /** Another text than before says that addresses are compared with others, or hashed with another key. */
  readonly basis: string;
  /** Whether these are the clients of all requests of the window. */
  readonly isWhole: boolean;
  readonly sightings: readonly ClientSighting[];
}

export interface CountedWindow extends LogWindow {
  readonly counts: readonly RequestCount[];
}

export interface RequestLogState {
  /** The end of the last window (ms). */
  readonly countedTo: number;
  /** The windows of the newest counted hour, of which the first can begin before it. They stay while older time is counted. */
  readonly recent: readonly CountedWindow[];
}

/** A counter of requests; with a code, of failed ones; without a product type, of seconds that were not counted. */
export interface RequestCounter {
  readonly productType: string;
  readonly class: string;
  readonly code: string;
  readonly counter: Counter;
}

export const ERROR_KEYS = ['class', 'code', 'user', 'hostname', 'product_type'] as const;
export type ErrorKey = (typeof ERROR_KEYS)[number];

export interface ErrorQuery {
  /** Whole hours (ms). */
  readonly from: number;
  readonly to: number;
  readonly by: ErrorKey;
  readonly limit: number;
  readonly class?: string | undefined;
}

export interface ErrorSum {
  /** Null for the users or host names that are not among the first of their hour. */
  readonly name: string | null;
  /** Null by user, host name and product type, which can have several. */
  readonly class: string | null;
  readonly errors: number;
  /** Null if it is not known. */
  readonly errorsVariance: number | null;
  /** Null if they are not known. */
  readonly bytes: number | null;
}

export interface ErrorSums {
  readonly sums: readonly ErrorSum[];
  readonly others: number;
  readonly requests: number;
  readonly errors: number;
  /** How many of these errors the samples stand for. */
  readonly sampledErrors: number;
  /** The counted part of the time (ms). */
  readonly countedMs: number;
  readonly bytes: number | null;
}

/** The clients of a user in the newest 24 counted hours. */
export interface UserClients {
  readonly user: string;
  readonly clients: number;
  /** Clients whose address is not expected. Null if none was seen, but not all requests were read, or not all were compared. */
  readonly unknown: number | null;
  /** The first and the last request of these that was read (ms); null without them. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly networks: readonly string[];
}

/** The most known clients of a user, and the most others. Of more, those that were not seen for longest are forgotten first. */
export const MAX_CLIENTS = 100;

/** Product types that do not have a name that the provider documents. */
export const OTHER_TYPE = 'other';

export interface RequestLogStore {
  /** Begins to count at `countedTo`, unless it has begun. Times are in ms. */
  open(account: string, countedTo: number, now: number): Promise<void>;
  state(account: string): Promise<RequestLogState | undefined>;
  /**
   * Stores a window with its counters and the end of what is counted. Times are in ms. A window that ended long before
   * `settledTo`, the end of what can be counted now, does not belong to the newest hour.
   */
  save(account: string, window: WindowResult, now: number, settledTo?: number): Promise<void>;
  counters(
    account: string,
  ): Promise<{ readonly storedAt: number | null; readonly counters: readonly RequestCounter[] }>;
  sums(account: string, query: ErrorQuery): Promise<ErrorSums>;
  /** Returns the users with the most unknown clients first, then those with the most clients. */
  clients(account: string, limit: number): Promise<UserClients[]>;
  /** Returns undefined if no request of the user was read. */
  clientsOf(account: string, user: string): Promise<UserClients | undefined>;
  forgetClients(account: string): Promise<void>;
}
