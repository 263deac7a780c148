// An error in the words of the log, the store and the metrics.

import { ProviderError } from '../provider/errors.ts';

export interface Failure {
  /** A kind of ProviderError, or `internal` for what is not the provider's fault. */
  readonly kind: string;
  readonly message: string;
}

/** Provider and store errors are written to be read; of any other only the message is told, never a value. */
export const describeFailure = (error: unknown): Failure => ({
  kind: error instanceof ProviderError ? error.kind : 'internal',
  message: error instanceof Error ? error.message : String(error),
});
