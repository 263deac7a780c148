// Compares the totals and counts of answers with what they should add up to.

import { rulesFor, type TotalRule } from './total-rules.ts';

export interface TotalJson {
  /** What should be equal. */
  readonly rule: string;
  readonly compared: number;
  readonly different: number;
}

export class Totals {
  readonly #rules: readonly {
    readonly rule: TotalRule;
    readonly counts: { compared: number; different: number };
  }[];

  constructor(endpoint: string) {
    this.#rules = rulesFor(endpoint).map((rule) => ({ rule, counts: { compared: 0, different: 0 } }));
  }

  observe(answer: unknown): void {
    for (const { rule, counts } of this.#rules)
      for (const [one, other] of rule.pairs(answer)) {
        if (one === undefined || other === undefined) continue;
        counts.compared += 1;
        if (!isEqual(one, other)) counts.different += 1;
      }
  }

  toJson(): TotalJson[] {
    return this.#rules.flatMap(({ rule: { rule }, counts }) =>
      counts.compared > 0 ? [{ rule, ...counts }] : [],
    );
  }
}

/**
 * The share by which sums may differ that are not integers. Money may be rounded before or after it is added
 * up.
 */
const TOLERANCE = 1e-6;

const isEqual = (one: number, other: number): boolean => {
  if (Number.isInteger(one) && Number.isInteger(other)) return one === other;
  return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one), Math.abs(other));
};
