// Defines the error that ends a probe with a cause.

import type { Cause } from './probe.ts';

/** The message must contain no secret and no text of an answer. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  readonly reason: Cause;

  constructor(reason: Cause, message: string) {
    super(message);
    this.reason = reason;
  }
}
