// Logs when clients are turned away because there are too many: once when it begins, and once when it has ended.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE } from '../lib/time.ts';

/** It has ended when no client was turned away for this long. */
const QUIET_MS = MINUTE;

const BEGIN =
  'too many clients, or too slow ones: some get 503 or are disconnected. Find out what this client does, and protect server.listen with a firewall or a reverse proxy';

export class TurnedAway implements Disposable {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stop = new AbortController();
  #count = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  note(client: string | undefined): void {
    this.#count += 1;
    if (this.#count > 1) return;
    this.#log.warn({ client }, BEGIN);
    // The wait is rejected only if the server stops.
    this.#untilQuiet().catch(() => {});
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #untilQuiet(): Promise<void> {
    for (let counted = 0; counted < this.#count; ) {
      counted = this.#count;
      await this.#clock.sleep(QUIET_MS, this.#stop.signal);
    }
    this.#log.info({ turnedAway: this.#count }, 'for a minute no client had to be turned away');
    this.#count = 0;
  }
}
