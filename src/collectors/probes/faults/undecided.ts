// Describes the probes that decide nothing, because the control of their url fails.

import type { InconclusiveFailures } from '../../../store/test-store.ts';
import type { AttributedFault } from '../../faults/attribution.ts';
import { hasFailed } from '../../faults/proxy-round.ts';
import { causeOfCell } from './outcomes.ts';
import type { ProbeRound } from './probe-round.ts';

/** `faults` are those that explain failures. */
export const undecidedFailures = (
  { all, decided, failing }: Pick<ProbeRound, 'all' | 'decided' | 'failing'>,
  faults: readonly AttributedFault[],
): InconclusiveFailures[] => {
  const atFault = new Set(faults.flatMap(({ kind, subject }) => (PROXY_KINDS.has(kind) ? [subject] : [])));
  const isUndecided = (url: string, proxy: string): boolean =>
    !atFault.has(proxy) &&
    !decided.get(proxy)?.some((cell) => cell.url === url) &&
    all
      .get(proxy)
      ?.some((cell) => cell.url === url && hasFailed(cell, 0) && causeOfCell(cell) !== 'quota') === true;
  return failing.flatMap(({ url, error }) => {
    const proxies = [...all.keys()].filter((proxy) => isUndecided(url, proxy)).length;
    return proxies === 0 ? [] : [{ url, proxies, reason: reasonOf(error) }];
  });
};

const PROXY_KINDS: ReadonlySet<AttributedFault['kind']> = new Set(['proxy', 'access'] as const);

const reasonOf = (error: string | null): string =>
  `the target also fails from here without a proxy${error ? ` (${error})` : ''}, so its probes show nothing about the proxies. Next: open the target without a proxy`;
