// Logs once a day that a receiver refuses samples, with their number and the reason.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { DAY } from '../../lib/time.ts';
import type { BatchResult } from '../../remote-write/tally.ts';

const REFUSED =
  'the receiver of remote write refuses samples, so proxywatch dropped them; the reason is the answer to the first of them';

export class RefusalLog {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Log;
  #refused = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'now'>, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  sent({ refused, reason }: BatchResult): void {
    this.#refused += refused;
    if (refused === 0 || this.#clock.now() - this.#loggedAt < DAY) return;
    this.#log.warn({ samples: this.#refused, reason }, REFUSED);
    this.#loggedAt = this.#clock.now();
    this.#refused = 0;
  }
}
