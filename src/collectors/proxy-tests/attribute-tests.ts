// Attributes failing tests, and tells refused credentials, which are the customer's own settings, from faults of proxies.

import type { Steps } from '../../lib/steps.ts';
import type { Fault } from '../../store/test-store.ts';
import {
  type AttributedFault,
  type Attribution,
  attributeFaults,
  type FaultOptions,
} from '../faults/attribution.ts';
import { ownSettingOf, settingWords } from '../faults/own-setting.ts';
import { type FaultCell, hasFailed } from '../faults/proxy-round.ts';

/** `hereFaults` are the faults that the probes have found; empty without probes. */
export function* attributeTests(
  cells: readonly FaultCell[],
  previous: Attribution,
  hereFaults: readonly Pick<Fault, 'kind' | 'subject' | 'code'>[],
  options: FaultOptions,
): Steps<Attribution> {
  const before = { ...previous, faults: previous.faults.map(asFaultOfProxy) };
  const found = yield* attributeFaults(cells, before, options);
  if (found === before) return previous;
  const refusedHere: CodeByProxy = new Map(
    hereFaults.flatMap(({ kind, subject, code = '' }) =>
      kind === 'access' && isOwnSetting(code) ? [[subject, code] as const] : [],
    ),
  );
  const refusedBefore = new Map(
    previous.faults.flatMap((fault) => (fault.kind === 'access' ? [[fault.subject, fault] as const] : [])),
  );
  const namesProxy = new Set(
    cells.filter((cell) => hasFailed(cell, 0) && cell.errorSource === 'proxy').map(({ proxy }) => proxy),
  );
  /** While nothing else names the proxy, what remains of refused credentials is no fault of the proxy. */
  const asBefore = (fault: AttributedFault): AttributedFault =>
    (fault.kind === 'proxy' && !namesProxy.has(fault.subject) && refusedBefore.get(fault.subject)) || fault;
  return { ...found, faults: found.faults.map((fault) => asBefore(withOwnSetting(fault, refusedHere))) };
}

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
    ? `${what} are refused everywhere, from here and from the provider’s testers (${reason})`
    : `${what} are refused from here, and it fails from the provider’s testers too (${reason})`;
};
