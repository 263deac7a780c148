// Corrects the verdict about a proxy by what only probes know: whether this machine fails, and whether a limit is exceeded.

import type { ReadContext } from '../../collectors/context.ts';
import { readControls } from '../../collectors/probes/control-state.ts';
import { isLineDown } from '../../collectors/probes/evidence.ts';
import { causeOfCell } from '../../collectors/probes/faults/outcomes.ts';
import type { VantageOptions } from '../../collectors/probes/vantage.ts';
import type { ProxyDetails } from '../../collectors/proxy-tests/subject-details.ts';
import { overQuota, type Verdict, type VerdictWord } from '../../collectors/proxy-tests/verdicts.ts';

const FAILING_HERE: Verdict = {
  verdict: 'inconclusive',
  text: 'No control gets an answer and no proxy answers, so this machine or its network connection is at fault. The probes do not show whether the proxy works. Next: check the network connection of this machine.',
};

/** Verdicts that no fault decides. A fault of before stays while the line of this machine is at fault. */
const WITHOUT_FAULT: ReadonlySet<VerdictWord> = new Set(['ok', 'inconclusive', 'unattributed']);

export const verdictHere = async (
  context: ReadContext<VantageOptions>,
  { verdict, tests }: Pick<ProxyDetails, 'verdict' | 'tests'>,
): Promise<Verdict> => {
  const quota = tests.filter((test) => causeOfCell(test) === 'quota').length;
  const share = `${quota} of ${tests.length} probes fail`;
  if (quota === tests.length && quota > 0 && !OF_PROXY.has(verdict.verdict)) return overQuota(share);
  if (!WITHOUT_FAULT.has(verdict.verdict)) return verdict;
  if (isLineDown(await readControls(context))) return FAILING_HERE;
  if (verdict.verdict !== 'unattributed') return verdict;
  const failing = tests.filter(({ isSuccessful }) => !isSuccessful);
  const here = failing.filter(({ errorSource }) => errorSource === 'here').length;
  if (here > 0) return failedHere(here, tests.length);
  return failing.length > 0 && quota === failing.length ? overQuota(share) : verdict;
};

/** Verdicts of a fault of the proxy itself, or of the way to it. */
const OF_PROXY: ReadonlySet<VerdictWord> = new Set(['proxy_at_fault', 'unusable_here']);

const failedHere = (failing: number, all: number): Verdict => ({
  verdict: 'inconclusive',
  text: `${failing} of ${all} probes failed while this machine, its network connection or the control of the target failed. They do not show whether the proxy works. Next: look again after the next round.`,
});
