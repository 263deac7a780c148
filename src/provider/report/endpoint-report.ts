// Observes the answers of one endpoint.

import { parseRetryAfter, retryAfterMs } from '../../lib/http-answer.ts';
import { SECOND } from '../../lib/time.ts';
import { DOCUMENTED_ANSWERS, DOCUMENTED_ERROR } from '../documented-answers/documented-answers.ts';
import { parseLocal } from '../time.ts';
import { FieldComparison } from './field-comparison.ts';
import { MinuteReport } from './minute-report.ts';
import { fieldOf, listIn, mapValuesIn, type ObservedAnswer } from './observed-answer.ts';
import { PageOrder } from './page-order.ts';
import { Spread } from './spread.ts';
import { Totals } from './totals.ts';

export type EndpointReportJson = ReturnType<EndpointReport['toJson']>;

/** Of a larger answer only the size and the duration are measured, because its comparison would take too long. */
const MAX_BYTES = 4_000_000;

export class EndpointReport {
  readonly #endpoint: string;
  readonly #requests = new Map<string, number>();
  readonly #bytes = new Spread();
  readonly #seconds = new Spread();
  readonly #answers: FieldComparison;
  readonly #errors: FieldComparison;
  readonly #totals: Totals;
  readonly #pages = new PageOrder();
  readonly #rateLimits = new RateLimits();
  readonly #minutes = new MinuteReport();
  readonly #results = new ResultTimes();

  constructor(endpoint: string, random: () => number) {
    this.#endpoint = endpoint;
    this.#answers = new FieldComparison(DOCUMENTED_ANSWERS[endpoint], random);
    this.#errors = new FieldComparison(DOCUMENTED_ERROR, random);
    this.#totals = new Totals(endpoint);
  }

  /** Counts a request with its status, or with what it failed with. */
  requestEnded(code: string): void {
    this.#requests.set(code, (this.#requests.get(code) ?? 0) + 1);
  }

  observe(answer: ObservedAnswer, zone: string): void {
    this.#bytes.add(answer.bytes);
    this.#seconds.add(answer.durationMs / SECOND);
    if (answer.status === 429) this.#rateLimits.observe(answer);
    if (answer.json === undefined || answer.bytes > MAX_BYTES) return;
    if (answer.status >= 400) this.#errors.observe(answer.json);
    if (answer.status >= 200 && answer.status < 300) this.#observeSuccess(answer, zone);
  }

  toJson() {
    return {
      endpoint: this.#endpoint,
      /** Requests by the status of their answer, or by `timeout`, `network` or `bad_response`. */
      requests: Object.fromEntries(this.#requests),
      /** Sizes of complete answers, and how long they took. Requests without one, such as after a timeout, have neither. */
      bytes: this.#bytes.toJson(),
      seconds: this.#seconds.toJson(),
      ...this.#answers.toJson(),
      totals: this.#totals.toJson(),
      pages: this.#pages.toJson(),
      rate_limits: this.#rateLimits.toJson(),
      minutes: this.#minutes.toJson(),
      /** The age of the newest result in the answers to proxy tests, if the provider's times are in UTC. */
      newest_result_age_seconds: this.#results.toJson(),
      /** The fields of the bodies of refused requests. */
      errors: this.#errors.toJson(),
    };
  }

  #observeSuccess(answer: ObservedAnswer, zone: string): void {
    this.#pages.observe(answer);
    if (this.#answers.observe(answer.json)) this.#totals.observe(answer.json);
    this.#results.observe(answer);
    this.#minutes.observe(answer, zone);
  }
}

/** Measures the age of results in the answer to their test: they are new, so hours are the offset of the provider's zone from UTC. */
class ResultTimes {
  readonly #newestAge = new Spread();

  observe({ endpoint, json, at }: Pick<ObservedAnswer, 'endpoint' | 'json' | 'at'>): void {
    if (endpoint !== 'proxy_test_run/create') return;
    const results = mapValuesIn(json, 'data').flatMap((each) => listIn(each, 'results'));
    const times = results.slice(0, MAX_RESULTS).flatMap((result) => createdAt(result) ?? []);
    if (times.length > 0) this.#newestAge.add((at - Math.max(...times)) / SECOND);
  }

  /** Returns null if there were no tests. */
  toJson() {
    return this.#newestAge.toJson();
  }
}

const MAX_RESULTS = 2_000;

/** Returns the time (ms) as if it were in UTC. */
const createdAt = (result: unknown): number | undefined => {
  const text = fieldOf(result, 'proxy_test_result_creation_datetime');
  return typeof text === 'string' ? parseLocal(text) : undefined;
};

/** Counts how the answers with the status 429 say how long to wait. */
class RateLimits {
  readonly #counts = {
    answers: 0,
    /** How many have a `Retry-After` with seconds, with a date, or with anything else. */
    ...{ header_seconds: 0, header_date: 0, header_other: 0 },
    /** How many name a time in their message, and how many do not say how long to wait. */
    ...{ message_time: 0, without_time: 0 },
  };
  readonly #waits = new Spread();

  observe({ retryAfter, json, at }: ObservedAnswer): void {
    const message = textIn(json, 'message') ?? textIn(json, 'error') ?? '';
    this.#counts.answers += 1;
    if (retryAfter !== undefined) this.#counts[`header_${parseRetryAfter(retryAfter)?.kind ?? 'other'}`] += 1;
    if (retryAfterMs(undefined, at, message) !== undefined) this.#counts.message_time += 1;
    const waitMs = retryAfterMs(retryAfter, at, message);
    if (waitMs === undefined) this.#counts.without_time += 1;
    else this.#waits.add(waitMs / SECOND);
  }

  /** Returns null if there was no such answer. */
  toJson() {
    return this.#counts.answers === 0 ? null : { ...this.#counts, wait_seconds: this.#waits.toJson() };
  }
}

const textIn = (json: unknown, name: string): string | undefined => {
  const text = fieldOf(json, name);
  return typeof text === 'string' ? text : undefined;
};
