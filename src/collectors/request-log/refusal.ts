// Says whether the provider refused what a request asked for.

import { ProviderError } from '../../provider/errors.ts';

const REFUSED: readonly unknown[] = [400, 422];

/** Whether the provider refuses a filter, an operator or an order that its documentation does not promise for the log. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ProviderError && REFUSED.includes(error.status);
