// Defines what a part is, and which series may change when it is wrong.

import type { CollectorName } from '../../../src/collectors/context.ts';
import type { ProviderRequest } from '../../support/faulty-provider.ts';
import type { GroupKey } from '../families.ts';

/** Series of a group of families. Without labels it is all of them. */
export interface Selection {
  readonly group: GroupKey;
  /** The labels that the series must have, by name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Values of labels that the series must not have. */
  readonly except?: Readonly<Record<string, readonly string[]>>;
  /** Only these families, by their names without `proxywatch_`. */
  readonly families?: readonly string[];
}

/** Series that are computed from those of the part, or together with them. */
export interface Derived extends Selection {
  readonly reason: string;
}

export interface Part {
  readonly endpoint: string;
  /** The name in the tables. */
  readonly name: string;
  /** The collectors that request the part. */
  readonly collectors: readonly CollectorName[];
  matches(request: ProviderRequest): boolean;
  /** The series that show what the part says. */
  readonly rests: readonly Selection[];
  readonly derived: readonly Derived[];
}

export const RECONCILED: Derived = {
  group: 'reconciliation',
  reason: 'a day is compared when both of its sources are complete',
};
