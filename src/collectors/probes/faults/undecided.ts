// Describes the probes that decide nothing, because the control of their url fails.

import type { InconclusiveFailures } from '../../../store/test-store.ts';
import type { ControlState, EvidenceCell } from '../evidence.ts';
import { failuresAt } from './agreed-faults.ts';

/** `isExplained` returns whether a fault of the target explains the failures at a url. */
export const undecidedFailures = (
  cells: readonly EvidenceCell[],
  failing: readonly ControlState[],
  isExplained: (url: string) => boolean,
): InconclusiveFailures[] =>
  failing.flatMap(({ url, error }) => {
    const proxies = failuresAt(url, cells);
    return proxies === 0 || isExplained(url) ? [] : [{ url, proxies, reason: reasonOf(error) }];
  });

const reasonOf = (error: string | null): string =>
  `the target also fails from here without a proxy${error ? ` (${error})` : ''}, so its probes show nothing about the proxies`;
