// Checks that the provider applies the filters of the log: it could ignore one, and then all counts would be wrong.

import { DAY } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import type { LogFilter } from '../../provider/resources/request-log.ts';
import type { LogWindow } from '../../store/request-log-store.ts';

const REFUSED: readonly unknown[] = [400, 422];

/** Whether the provider refuses a filter, an operator or an order that its documentation does not promise for the log. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ProviderError && REFUSED.includes(error.status);

/** No row has such a code. */
const [TOO_LOW, TOO_HIGH] = [1, 9_999_999];
const NO_TYPE = 'none';
/** No row is so old, or so far in the future. */
const OTHER_DAYS = 3_650;

/** Returns whether filters that no row matches count no rows, each of them alone. The window has rows. Throws ProviderError. */
export const areFiltersApplied = async (
  count: (filter: LogFilter) => Promise<number>,
  window: LogWindow,
): Promise<boolean> => {
  const moved = (days: number) => ({ from: window.from + days * DAY, to: window.to + days * DAY });
  const unmatched: LogFilter[] = [
    { ...window, minCode: TOO_HIGH },
    { ...window, maxCode: TOO_LOW },
    { ...window, productType: NO_TYPE },
    moved(OTHER_DAYS),
    moved(-OTHER_DAYS),
  ];
  for (const filter of unmatched) {
    // A provider that refuses such a value has read it.
    const rows = await count(filter).catch((error) => {
      if (!isRefusal(error)) throw error;
      return 0;
    });
    if (rows !== 0) return false;
  }
  return true;
};
