// Observes all answers of an account, and reports how they differ from the provider's documentation.

import { SECOND } from '../../lib/time.ts';
import { EndpointReport } from './endpoint-report.ts';
import type { ObservedAnswer } from './observed-answer.ts';
import { Spread } from './spread.ts';

/** The program knows all endpoints, so their number is limited. */
export class AccountReport {
  /** The configured time zone of the provider. A reload may change it. */
  timeZone: string;
  readonly #random: () => number;
  readonly #endpoints = new Map<string, EndpointReport>();
  #clockAhead = new Spread();
  #baseUrl: string | undefined;

  constructor(timeZone: string, random: () => number = Math.random) {
    this.timeZone = timeZone;
    this.#random = random;
  }

  /** Is called for each client. Answers of another server than before begin a new report. */
  clientCreated(baseUrl: string): void {
    if (baseUrl === this.#baseUrl) return;
    this.#baseUrl = baseUrl;
    this.#endpoints.clear();
    this.#clockAhead = new Spread();
  }

  requestEnded(endpoint: string, code: string): void {
    this.#of(endpoint).requestEnded(code);
  }

  clockMeasured(aheadMs: number): void {
    this.#clockAhead.add(aheadMs / SECOND);
  }

  observe(answer: ObservedAnswer): void {
    this.#of(answer.endpoint).observe(answer, this.timeZone);
  }

  /** `account` is its position in the configuration, because its name is not reported. */
  toJson(account: number) {
    const endpoints = [...this.#endpoints].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return {
      account,
      /** The provider's clock minus this machine's. */
      clock_ahead_seconds: this.#clockAhead.toJson(),
      endpoints: endpoints.map(([, report]) => report.toJson()),
    };
  }

  #of(endpoint: string): EndpointReport {
    const report = this.#endpoints.get(endpoint) ?? new EndpointReport(endpoint, this.#random);
    this.#endpoints.set(endpoint, report);
    return report;
  }
}

const ABOUT = [
  "This report lists how the provider's answers differ from the provider's documentation.",
  'The report contains no value of any field.',
  'It contains only paths and names of fields, types, counts, sizes and times.',
].join(' ');

/** Puts the reports of all accounts together. */
export const providerReport = (version: string, accounts: readonly Pick<AccountReport, 'toJson'>[]) => ({
  about: ABOUT,
  version,
  accounts: accounts.map((account, index) => account.toJson(index + 1)),
});
