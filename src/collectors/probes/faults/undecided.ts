// Describes the probes that decide nothing, because the control of their url fails.

import type { InconclusiveFailures } from '../../../store/test-store.ts';
import type { ControlState, EvidenceCell } from '../evidence.ts';
import { failuresAt } from './agreed-faults.ts';

export const undecidedFailures = (
  cells: readonly EvidenceCell[],
  failing: readonly ControlState[],
): InconclusiveFailures[] =>
  failing.flatMap(({ url, error }) => {
    const proxies = failuresAt(url, cells);
    return proxies === 0 ? [] : [{ url, proxies, reason: reasonOf(error) }];
  });

const reasonOf = (error: string | null): string =>
  `the target also fails from here without a proxy${error ? ` (${error})` : ''}, so its probes show nothing about the proxies. Next: open the target without a proxy`;
