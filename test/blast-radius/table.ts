// Writes the tables of faults: for each part one table, in which wrong answers with the same outcome share a row.

import type { Change, Samples } from '../support/twin-comparison.ts';
import { familyOf } from '../support/twin-comparison.ts';
import { GROUPS, type GroupKey, groupOf, isAboutPolling } from './families.ts';
import type { Outcome } from './outcome.ts';
import type { Part } from './parts/part.ts';
import { isSelected } from './rule.ts';

export interface Case {
  readonly part: Part;
  /** The name of the fault. */
  readonly fault: string;
  readonly outcome: Outcome;
}

/** The samples of the healthy twin at the beginning and at the end of its life. */
export interface HealthyLife {
  readonly before: Samples;
  readonly after: Samples;
}

const VERBS: Readonly<Record<Change, string>> = {
  stops: 'stop',
  differs: 'differ',
  vanishes: 'disappear',
  appears: 'appear',
};
/** A longer list of families is not worth reading. */
const MAX_NAMED = 3;
const HEAD =
  '| wrong answers | effect on metrics | collectors with problems | alerts that fire | warnings and errors in the log |\n|---|---|---|---|---|';

/** Returns the sections of all cases: one for each endpoint, with a table for each part. */
export const tablesOf = (cases: readonly Case[], life: HealthyLife): string =>
  [...Map.groupBy(cases, ({ part }) => part.endpoint)]
    .map(([endpoint, ofEndpoint]) => {
      const parts = [...Map.groupBy(ofEndpoint, ({ part }) => part)];
      const tables = parts.map(
        ([part, ofPart]) => `### ${capitalized(part.name)}\n\n${tableOf(ofPart, life)}\n`,
      );
      return `## \`${endpoint}\`\n\n${tables.join('\n')}`;
    })
    .join('\n');

const tableOf = (cases: readonly Case[], life: HealthyLife): string => {
  const rows = Map.groupBy(cases, ({ part, outcome }) => cellsOf(part, outcome, life).join(' | '));
  return [HEAD, ...[...rows].map(([cells, alike]) => `| ${namesOf(alike)} | ${cells} |`)].join('\n');
};

const namesOf = (alike: readonly Case[]): string => alike.map(({ fault }) => fault).join(', ');

const cellsOf = (part: Part, outcome: Outcome, life: HealthyLife): string[] => {
  const { failed, failingParts, skipping, alerts, log } = outcome;
  const collectors = [
    ...failed.map((name) => `${code(name)} fails`),
    ...failingParts.map((name) => `${code(name)} has failing parts`),
    ...skipping.map((name) => `${code(name)} skips items`),
  ];
  const values = valuesOf(part, outcome, life);
  return [values, collectors.join(', '), alerts.map(code).join(', '), log.join('; ')].map(
    (cell) => cell || '–',
  );
};

const valuesOf = (part: Part, { changed }: Outcome, life: HealthyLife): string =>
  (Object.keys(VERBS) as Change[])
    .flatMap((change) => {
      const ofChange = changed.filter((each) => each.change === change);
      const byGroup = Map.groupBy(ofChange, ({ family }) => groupOf(family));
      const names = [...byGroup].flatMap(([group, series]) =>
        group ? describe(part, group, change, new Set(series.map(({ family }) => family)), life) : [],
      );
      return names.length === 0 ? [] : `${VERBS[change]}: ${names.join(', ')}`;
    })
    .join('<br>');

/** Names a group if all of its families changed that could, and otherwise the families themselves. */
const describe = (
  part: Part,
  group: GroupKey,
  change: Change,
  changed: ReadonlySet<string>,
  life: HealthyLife,
): string => {
  const { name } = GROUPS[group];
  const possible = familiesOf(part, group, change, life);
  if ([...possible].every((family) => changed.has(family))) return name;
  const names = [...changed].map((family) => code(family.replace('proxywatch_', '')));
  return names.length <= MAX_NAMED ? names.join(', ') : `${names.length} metrics of the group ${name}`;
};

/** The families of a group that could change in this way: only a family that moves can stop. */
const familiesOf = (
  { rests }: Part,
  group: GroupKey,
  change: Change,
  { before, after }: HealthyLife,
): ReadonlySet<string> => {
  const selections = rests.filter((selection) => selection.group === group);
  const isConcerned = (series: string): boolean =>
    selections.length === 0 ? true : selections.some((selection) => isSelected(series, selection));
  const series = [...after].filter(
    ([name, value]) =>
      !isAboutPolling(familyOf(name)) &&
      groupOf(familyOf(name)) === group &&
      isConcerned(name) &&
      (change !== 'stops' || !Object.is(before.get(name), value)),
  );
  return new Set(series.map(([name]) => familyOf(name)));
};

const code = (word: string): string => `\`${word}\``;

const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
