// Lists what each cause of a failure means: the labels of its metrics, and what is at fault. The documentation has the
// same table (docs/design/probe-failures.md).

import type { RefusalClass } from '../../../src/lib/refusal-codes.ts';
import type { Cause, Phase } from '../../../src/prober/probe.ts';

/** `before`: until the tunnel is open. `after`: in TLS with the target, or in its answer. */
export type Place = 'any' | 'before' | 'after';
export type VerdictKind = 'proxy' | 'access' | 'target' | 'none';

export interface Verdict {
  readonly causes: readonly Cause[];
  readonly place: Place;
  /** The label `error_source`. */
  readonly source: string;
  /** The class of the refusal. `other` only if the proxy sent a code of the provider. */
  readonly refusal: RefusalClass | 'own name' | 'none';
  /** What is at fault if only this proxy and this target are known. */
  readonly fault: VerdictKind;
  /** What is at fault if the provider's testers pass through the same proxy to the same target. */
  readonly faultIfTestersPass: VerdictKind;
}

const PROXY = { source: 'proxy', fault: 'proxy', faultIfTestersPass: 'access' } as const;
const TARGET = { source: 'target', fault: 'target', faultIfTestersPass: 'access' } as const;
const UNKNOWN = { fault: 'none', faultIfTestersPass: 'access' } as const;

const CONNECTION = ['dns', 'refused', 'unreachable', 'reset', 'closed', 'timeout', 'protocol'] as const;

export const VERDICTS: readonly Verdict[] = [
  { causes: CONNECTION, place: 'before', refusal: 'none', ...PROXY },
  { causes: CONNECTION, place: 'after', refusal: 'none', source: 'unknown', ...UNKNOWN },
  { causes: ['certificate'], place: 'before', refusal: 'none', ...PROXY },
  { causes: ['certificate'], place: 'after', refusal: 'none', ...TARGET },
  {
    ...{ causes: ['credentials', 'options'], place: 'any', source: 'client', refusal: 'own name' },
    ...{ fault: 'access', faultIfTestersPass: 'access' },
  },
  {
    ...{ causes: ['quota'], place: 'any', source: 'quota', refusal: 'own name' },
    ...{ fault: 'none', faultIfTestersPass: 'none' },
  },
  {
    ...{ causes: ['policy'], place: 'any', source: 'client', refusal: 'own name' },
    ...{ fault: 'target', faultIfTestersPass: 'target' },
  },
  { causes: ['no_node', 'provider'], place: 'any', source: 'provider', refusal: 'own name', ...UNKNOWN },
  {
    ...{ causes: ['target_name', 'target_refused', 'target_unreachable'], place: 'any', refusal: 'target' },
    ...TARGET,
  },
  { causes: ['proxy_or_target'], place: 'any', source: 'unknown', refusal: 'none', ...UNKNOWN },
  { causes: ['status', 'header', 'body'], place: 'any', refusal: 'none', ...TARGET },
  { causes: ['proxy_error'], place: 'any', refusal: 'other', ...PROXY },
  {
    ...{ causes: ['local'], place: 'any', source: 'here', refusal: 'none' },
    ...{ fault: 'none', faultIfTestersPass: 'none' },
  },
];

export const placeOf = (phase: Phase): Place =>
  phase === 'tls' || phase === 'response' ? 'after' : 'before';

/** Throws if the table has no row, or several rows, for the failure. */
export const verdictOf = (phase: Phase, cause: Cause): Verdict => {
  const [verdict, ...others] = VERDICTS.filter(
    ({ causes, place }) => causes.includes(cause) && (place === 'any' || place === placeOf(phase)),
  );
  if (!verdict || others.length > 0) throw new Error(`${phase}_${cause} has ${others.length + 1} verdicts`);
  return verdict;
};

/** The class that `proxywatch_probe_refusals_total` counts; undefined if it counts none. */
export const refusalOfVerdict = (
  { refusal }: Verdict,
  cause: Cause,
  hasCode: boolean,
): string | undefined => {
  if (refusal === 'own name') return cause;
  return refusal === 'none' || (refusal === 'other' && !hasCode) ? undefined : refusal;
};
