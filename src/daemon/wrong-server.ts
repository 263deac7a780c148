// Replaces the failures of an account whose server is not the provider's API, one for each run and part, by one line.

import type { Log } from '../lib/log.ts';
import { WRONG_SERVER, WRONG_SERVER_ADVICE } from '../provider/errors.ts';

/** Kinds of failures that every endpoint has if base_url is wrong. */
const TYPICAL_KINDS: readonly unknown[] = ['not_found', 'bad_response'];
/** Failures of a whole run belong together, and a run has at most this many. More are written at once. */
const MAX_HELD = 1_000;

/**
 * Holds back lines about typical failures until a request succeeds, which shows that the server is the provider's. If
 * all runs have ended and only such failures came, it logs one line instead of them, until a request succeeds.
 */
export class WrongServerLog {
  readonly #log: Log;
  #held: { readonly fields: Record<string, unknown>; write(): void }[] = [];
  #hasSucceeded = false;
  #hasOtherFailure = false;
  #isReported = false;

  constructor(log: Log) {
    this.#log = log;
  }

  child(fields: Record<string, unknown>): Log {
    return this.#wrap(this.#log.child(fields));
  }

  /** To be called when later requests go to another address or have other keys. */
  clientReplaced(): void {
    this.#release();
    this.#hasSucceeded = false;
    this.#isReported = false;
  }

  requestSucceeded(): void {
    this.#hasSucceeded = true;
    this.#isReported = false;
    this.#release();
  }

  /** To be called at the end of a run. `isLast`: no other run of the account is in progress. */
  runEnded(isLast: boolean): void {
    if (!isLast) return;
    const [first] = this.#held;
    if (first && !this.#hasOtherFailure) {
      const { kind, message } = first.fields;
      if (!this.#isReported)
        this.#log.error(
          { kind, message, failures: this.#held.length },
          `${WRONG_SERVER}. ${WRONG_SERVER_ADVICE}`,
        );
      this.#isReported = true;
      this.#held = [];
    }
    this.#release();
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    this.#hasOtherFailure = false;
    for (const line of held) line.write();
  }

  #wrap(log: Log): Log {
    const write =
      (level: 'warn' | 'error') =>
      (fields: Record<string, unknown>, message: string): void => {
        const line = { fields, write: () => log[level](fields, message) };
        if (this.#hasSucceeded || this.#held.length === MAX_HELD) line.write();
        else if (TYPICAL_KINDS.includes(fields.kind)) this.#held.push(line);
        else {
          this.#hasOtherFailure ||= fields.kind !== undefined;
          line.write();
        }
      };
    return {
      trace: (fields, message) => log.trace(fields, message),
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => this.#wrap(log.child(fields)),
    };
  }
}
