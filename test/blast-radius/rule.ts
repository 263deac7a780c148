// Finds the series that a fault changed although they do not rest on the faulty part.

import { labelOf } from '../support/twin-comparison.ts';
import { groupOf } from './families.ts';
import type { Fault } from './faults.ts';
import type { Outcome } from './outcome.ts';
import type { Part, Selection } from './parts/part.ts';
import { PARTS } from './parts.ts';

/** A 429 pauses the endpoint, so all parts of the endpoint share its radius. */
const partsConcerned = (part: Part, { pausesEndpoint = false }: Fault): readonly Part[] =>
  pausesEndpoint ? PARTS.filter(({ endpoint }) => endpoint === part.endpoint) : [part];

/** Returns what moved, and the collectors that failed, outside of the radius of the fault. */
export const outsideRadius = (part: Part, fault: Fault, outcome: Outcome): string[] => {
  const parts = partsConcerned(part, fault);
  const selections = parts.flatMap(({ rests, derived }) => [...rests, ...derived]);
  const collectors = new Set<string>(parts.flatMap(({ collectors: names }) => names));
  return [
    ...outcome.changed.flatMap(({ series, change }) =>
      selections.some((selection) => isSelected(series, selection)) ? [] : `${series} ${change}`,
    ),
    ...[...outcome.failed, ...outcome.failingParts, ...outcome.skipping].flatMap((collector) =>
      collectors.has(collector) ? [] : `the collector ${collector} fails`,
    ),
  ];
};

export const isSelected = (
  series: string,
  { group, labels = {}, except = {}, families }: Selection,
): boolean => {
  const family = (series.split('{', 1)[0] ?? '').replace(/_(bucket|sum|count)$/, '');
  return (
    groupOf(family) === group &&
    (families?.includes(family.replace('proxywatch_', '')) ?? true) &&
    Object.entries(labels).every(([label, value]) => labelOf(series, label) === value) &&
    Object.entries(except).every(([label, values]) => !values.includes(labelOf(series, label) ?? ''))
  );
};
