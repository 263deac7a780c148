// Finds what a changed field must not do: change series that do not rest on it, show wrong numbers, or go unnoticed.

import { FAMILIES } from '../../../src/collectors/index.ts';
import type { Samples } from '../../support/twin-comparison.ts';
import { familyOf } from '../../support/twin-comparison.ts';
import type { Twin } from '../../support/twins.ts';
import type { ChangedValue } from '../outcome.ts';
import type { FieldCase } from './field-cases.ts';
import type { Resting } from './resting/rules.ts';
import { isFamilyOf, restingOn, UNCOUNTED } from './resting-series.ts';

/** Returns the faults of a case, each as a line. */
export const faultsOf = (each: FieldCase, before: Samples): string[] => [
  ...strayChanges(each),
  ...wrongNumbers(each.twin, before),
  ...(isUnnoticed(each) ? ['the invalid value is not counted'] : []),
];

const strayChanges = ({ scene, endpoint, paths, outcome }: FieldCase): string[] => {
  const rules = paths.flatMap((path) => restingOn(scene, endpoint, path));
  return outcome.changed.flatMap((changed) =>
    rules.some((rule) => isAllowed(rule, changed)) ? [] : [`${changed.series} ${changed.change}`],
  );
};

const isAllowed = (rule: Resting, { family, change }: ChangedValue): boolean =>
  isFamilyOf(rule, family.replace('proxywatch_', '')) &&
  (rule.may === 'changed' || change === 'stops' || change === 'vanishes');

const COUNTERS = new Set(FAMILIES.filter(({ type }) => type === 'counter').map(({ name }) => name));

/** No sample is NaN, and no counter falls. */
const wrongNumbers = ({ samples }: Twin, before: Samples): string[] =>
  [...samples].flatMap(([series, value]) => {
    if (Number.isNaN(value)) return [`${series} is NaN`];
    const isFalling = COUNTERS.has(familyOf(series)) && value < (before.get(series) ?? 0);
    return isFalling ? [`${series} falls to ${value}`] : [];
  });

/** A value of another type, in a field that proxywatch reads, must be counted or fail something. */
const isUnnoticed = ({ scene, mutation, paths, isRead, outcome, isInconsistent }: FieldCase): boolean =>
  mutation.isOfOtherType &&
  !UNCOUNTED.some((exception) => exception.scene === scene && paths.includes(exception.path)) &&
  isRead &&
  !isInconsistent &&
  [...outcome.failed, ...outcome.failingParts, ...outcome.skipping].length === 0;
