// Attributes failing tests, and tells refused credentials, which are the customer's own settings, from faults of proxies.

import type { Steps } from '../../lib/steps.ts';
import type { Fault } from '../../store/test-store.ts';
import {
  type AttributedFault,
  type Attribution,
  attributeFaults,
  byKindAndSubject,
  type FaultOptions,
  policyFaults,
} from '../faults/attribution.ts';
import { isOfTester } from '../faults/causes.ts';
import {
  areOwnSettings,
  isPolicy,
  isQuota,
  ownSettingOf,
  REFUSED_EVERYWHERE,
  settingWords,
} from '../faults/own-setting.ts';
import { type FaultCell, hasFailed, roundsOfSource } from '../faults/proxy-round.ts';

/** `hereFaults` are the faults that the probes have found; empty without probes. */
export function* attributeTests(
  cells: readonly FaultCell[],
  previous: Attribution,
  hereFaults: readonly HereFault[],
  options: FaultOptions,
): Steps<Attribution> {
  // A limit of the proxy user, and a policy of the provider, say nothing about the proxies.
  const judged = cells.filter((cell) => !hasFailed(cell, 0) || !(isQuota(cell) || isPolicy(cell)));
  const before = { ...previous, faults: previous.faults.map(asFaultOfProxy) };
  const pattern = yield* attributeFaults(judged, before, options);
  const policies = policyFaultsOf(cells, previous, options);
  if (pattern === before && policies.length === 0) return previous;
  const found = withPolicies(pattern, policies);
  const refusedHere: CodeByProxy = new Map(
    hereFaults.flatMap(({ kind, subject, code = '' }) =>
      kind === 'access' && isOwnSetting(code) ? [[subject, code] as const] : [],
    ),
  );
  const refusedBefore = new Map(
    previous.faults.flatMap((fault) => (fault.kind === 'access' ? [[fault.subject, fault] as const] : [])),
  );
  const hasOtherCause = otherCauses(judged, options.faultAfter);
  /** What remains of refused credentials is no fault of the proxy. Without a code, its tests pass again. */
  const asBefore = (fault: AttributedFault): AttributedFault => {
    const before = fault.kind === 'proxy' ? refusedBefore.get(fault.subject) : undefined;
    if (!before) return fault;
    if (!fault.code) return { ...fault, kind: 'access' };
    return hasOtherCause.has(fault.subject) ? fault : before;
  };
  return { ...found, faults: found.faults.map((fault) => asBefore(withOwnSetting(fault, refusedHere))) };
}

export type HereFault = Pick<Fault, 'kind' | 'subject' | 'code'>;

/** The proxies whose errors name the proxy or, for long enough, neither the proxy nor a target nor a tester. */
const otherCauses = (cells: readonly FaultCell[], faultAfter: number): ReadonlySet<string> =>
  new Set(
    cells
      .filter(
        (cell) =>
          hasFailed(cell, 0) &&
          !areOwnSettings([cell]) &&
          cell.errorSource !== 'target' &&
          !isOfTester(cell, 0) &&
          (cell.errorSource === 'proxy' || roundsOfSource(cell) >= faultAfter),
      )
      .map(({ proxy }) => proxy),
  );

const policyFaultsOf = (
  cells: readonly FaultCell[],
  previous: Attribution,
  { faultAfter }: FaultOptions,
): AttributedFault[] => {
  const known = new Set(previous.faults.flatMap(({ kind, subject }) => (kind === 'target' ? [subject] : [])));
  return policyFaults(cells, faultAfter, (url) => known.has(url));
};

/** The reason of a policy says more than the pattern does. */
const withPolicies = (found: Attribution, policies: readonly AttributedFault[]): Attribution => {
  const refused = new Set(policies.map(({ subject }) => subject));
  const others = found.faults.filter(({ kind, subject }) => kind !== 'target' || !refused.has(subject));
  return { ...found, faults: [...others, ...policies].sort(byKindAndSubject) };
};

/** The pattern of failures does not know the kind `access`. */
const asFaultOfProxy = (fault: AttributedFault): AttributedFault =>
  fault.kind === 'access' ? { ...fault, kind: 'proxy' } : fault;

const isOwnSetting = (code: string | undefined): boolean => ownSettingOf(code ?? null) !== null;

/** By proxy: the error code with which it refuses the probes. */
type CodeByProxy = ReadonlyMap<string, string>;

const withOwnSetting = (fault: AttributedFault, refusedHere: CodeByProxy): AttributedFault => {
  const codeHere = refusedHere.get(fault.subject);
  if (fault.kind !== 'proxy' || (codeHere === undefined && !isOwnSetting(fault.code))) return fault;
  return { ...fault, kind: 'access', reason: reasonOf(fault, codeHere), code: codeHere ?? fault.code ?? '' };
};

const reasonOf = ({ reason, code }: AttributedFault, codeHere: string | undefined): string => {
  const isOfTesters = isOwnSetting(code);
  const what = settingWords(codeHere ?? code ?? '');
  if (codeHere === undefined) return `${what} are refused from the provider’s testers (${reason})`;
  return isOfTesters
    ? `${what} ${REFUSED_EVERYWHERE} (${reason})`
    : `${what} are refused from here, and it fails from the provider’s testers too (${reason})`;
};
