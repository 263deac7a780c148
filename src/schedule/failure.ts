// An error in the words of the log, the store and the metrics.

import { ConfigError } from '../config/config-error.ts';
import { ProviderError } from '../provider/errors.ts';
import { StoreError } from '../store/errors.ts';

export interface Failure {
  /** A kind of ProviderError, or `internal` for what is not the provider's fault. */
  readonly kind: string;
  readonly message: string;
  /** Of a fault of the program, to find it by. */
  readonly stack?: string;
}

/** Errors of the house are written to be read; any other is a fault of the program. */
export const describeFailure = (error: unknown): Failure => {
  if (error instanceof ProviderError) return { kind: error.kind, message: error.message };
  if (error instanceof StoreError || error instanceof ConfigError)
    return { kind: 'internal', message: error.message };
  if (!(error instanceof Error)) return { kind: 'internal', message: String(error) };
  const { message, stack } = error;
  return stack === undefined ? { kind: 'internal', message } : { kind: 'internal', message, stack };
};
