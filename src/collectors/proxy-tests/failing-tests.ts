// Tells the failing tests of a proxy that are its own from those that a fault of another explains.

import type { Fault, FaultKind, TestCell } from '../../store/test-store.ts';
import { causeLookup } from '../faults/failure-causes.ts';

/** The kinds of faults that explain failures of a proxy without saying anything about the proxy. */
export const OTHERS = ['target', 'tester', 'provider'] as const satisfies readonly FaultKind[];

/** A fault of another, and how many failing tests it explains. */
export interface Explanation {
  readonly kind: (typeof OTHERS)[number];
  /** url or tester_server; empty for the provider. */
  readonly subject: string;
  readonly tests: number;
}

/** The tests of a proxy whose last result is a failure. */
export interface FailingTests {
  /** The number of tests that fail by a fault of the proxy, or without a known fault. */
  readonly own: number;
  /** What explains the others; the one that explains the most comes first. */
  readonly explainedBy: readonly Explanation[];
}

export type FailingTestsLookup = (
  proxy: { readonly id: string; readonly productType: string },
  cells: readonly TestCell[],
) => FailingTests;

export const failingTestsLookup = (faults: readonly Fault[]): FailingTestsLookup => {
  const causeOf = causeLookup(faults);
  return ({ id: proxy, productType }, cells) => {
    const failing = cells.filter(({ isSuccessful }) => !isSuccessful);
    const isProxyDead = failing.length === cells.length;
    const explanations = failing.flatMap(({ url, tester, errorSource }) => {
      const cause = causeOf({ proxy, productType, url, tester, errorSource, isProxyDead });
      const kind = OTHERS.find((other) => other === cause);
      return kind ? [{ kind, subject: { target: url, tester, provider: '' }[kind], tests: 1 }] : [];
    });
    return { own: failing.length - explanations.length, explainedBy: addUp(explanations) };
  };
};

export const addFailingTests = (one: FailingTests, other: FailingTests): FailingTests => ({
  own: one.own + other.own,
  explainedBy: addUp([...one.explainedBy, ...other.explainedBy]),
});

const addUp = (explanations: readonly Explanation[]): Explanation[] =>
  [...Map.groupBy(explanations, ({ kind, subject }) => `${kind} ${subject}`).values()]
    .map(([first, ...rest]) => ({
      ...(first as Explanation),
      tests: rest.reduce((sum, { tests }) => sum + tests, first?.tests ?? 0),
    }))
    .sort((one, other) => other.tests - one.tests);
