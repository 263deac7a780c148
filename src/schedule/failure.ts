// Describes an error for the log, the store and the metrics.

import { ConfigError } from '../config/config-error.ts';
import { ClockError } from '../lib/clock.ts';
import { ProviderError } from '../provider/errors.ts';
import { StoreError } from '../store/errors.ts';

export interface Failure {
  /** The kind of a ProviderError; `internal` for all other errors. */
  readonly kind: string;
  readonly message: string;
  /** Set if this machine is at fault, so the failure is not part of an outage of the provider. */
  readonly isLocal?: true;
  /** The stack of an unexpected error, for debugging. */
  readonly stack?: string;
}

/** Messages of proxywatch's own errors are meant for users. Any other error is a bug, so it comes with its stack. */
export const describeFailure = (error: unknown): Failure => {
  if (error instanceof ProviderError) {
    const { kind, message, isLocal } = error;
    return isLocal ? { kind, message, isLocal } : { kind, message };
  }
  if (error instanceof StoreError || error instanceof ConfigError || error instanceof ClockError)
    return { kind: 'internal', message: error.message };
  if (!(error instanceof Error)) return { kind: 'internal', message: String(error) };
  const { message, stack } = error;
  return stack === undefined ? { kind: 'internal', message } : { kind: 'internal', message, stack };
};
