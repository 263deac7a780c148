// Defines the services that the parts of the daemon share, and how they log failures.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { DaemonMetrics } from '../metrics/daemon-metrics.ts';
import type { Exposition } from '../metrics/exposition.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Store } from '../store/store.ts';

export interface Services {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly exposition: Exposition;
  readonly metrics: DaemonMetrics;
  readonly userAgent: string;
}

/** For parts whose failures can be those of the store. */
export interface FailureLog extends Pick<Services, 'log'> {
  /** Whether an error is logged elsewhere. */
  readonly isLogged?: ((error: unknown) => boolean) | undefined;
}

export const logFailure = (
  { log, isLogged }: FailureLog,
  error: unknown,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): void => log[isLogged?.(error) ? 'debug' : 'error']({ ...fields, ...describeFailure(error) }, message);
