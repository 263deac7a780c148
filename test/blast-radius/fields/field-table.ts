// Writes the tables of fields: for each endpoint one table, in which fields with the same outcomes share rows.

import { GROUPS, groupOf } from '../families.ts';
import type { Outcome } from '../outcome.ts';
import type { ChangedAnswers, FieldCase } from './field-cases.ts';

const HEAD = '| fields | wrong values | effect on metrics | reported problems |\n|---|---|---|---|';
/** A longer list of families is not worth reading. */
const MAX_NAMED = 3;
/** These alerts follow from what the column "reported problems" says anyway. */
const GENERAL_ALERTS = new Set(['CollectorFailing', 'PartsFailing', 'ItemsSkipped']);

export const tableOf = ({ endpoint, fields, reads }: ChangedAnswers, cases: readonly FieldCase[]): string => {
  const unread = [...fields.keys()].filter((path) => !reads.has(path));
  const read = [...fields.keys()].filter((path) => reads.has(path));
  const rowsByProfile = Map.groupBy(read, (path) => JSON.stringify(rowsOf(path, cases)));
  const rows = [...rowsByProfile].flatMap(([profile, paths]) =>
    (JSON.parse(profile) as string[][]).map(([mutations, ...cells], index) =>
      ['', index === 0 ? listOf(paths) : '', mutations, ...cells, ''].join(' | ').trim(),
    ),
  );
  const ignored = unread.length === 0 ? '' : `\n\nproxywatch does not read these fields: ${listOf(unread)}.`;
  return `## \`${endpoint}\`\n\n${HEAD}\n${rows.join('\n')}${ignored}\n`;
};

/** The rows of a field: the ways of changing it, and what they change. Ways with the same outcome share a row. */
const rowsOf = (path: string, cases: readonly FieldCase[]): string[][] => {
  const own = cases.filter(({ paths }) => paths.includes(path));
  const byCells = Map.groupBy(own, ({ outcome, isInconsistent }) =>
    JSON.stringify([seriesIn(outcome), reportsIn(outcome, isInconsistent)]),
  );
  return [...byCells].map(([cells, alike]) => [
    alike.map(({ mutation }) => mutation.name).join(', '),
    ...(JSON.parse(cells) as string[]),
  ]);
};

const seriesIn = ({ changed }: Outcome): string => {
  const changesByFamily = Map.groupBy(changed, ({ family }) => family);
  const byVerb = Map.groupBy(changesByFamily.keys(), (family) =>
    verbOf(new Set((changesByFamily.get(family) ?? []).map(({ change }) => change))),
  );
  const lines = VERBS.flatMap((verb) => {
    const families = byVerb.get(verb) ?? [];
    return families.length === 0 ? [] : `${verb}: ${namesOf(families)}`;
  });
  return lines.join('<br>') || '–';
};

const VERBS = ['stop', 'disappear', 'differ', 'appear', 'get other labels'] as const;

/** Returns what happens to a family whose series changed in these ways. */
const verbOf = (changes: ReadonlySet<string>): (typeof VERBS)[number] => {
  if (changes.has('appears')) return changes.has('vanishes') ? 'get other labels' : 'appear';
  if (changes.has('differs')) return 'differ';
  return changes.has('vanishes') ? 'disappear' : 'stop';
};

const namesOf = (families: readonly string[]): string =>
  [...Map.groupBy(families, groupOf)]
    .map(([group, names]) =>
      names.length > MAX_NAMED && group
        ? `${names.length} metrics of the group ${GROUPS[group].name}`
        : names.map((name) => `\`${name.replace('proxywatch_', '')}\``).join(', '),
    )
    .join(', ');

const reportsIn = ({ failed, failingParts, skipping, alerts }: Outcome, isInconsistent: boolean): string => {
  const particular = alerts.filter((alert) => !GENERAL_ALERTS.has(alert));
  const reports = [
    ...failed.map((name) => `\`${name}\` fails`),
    ...failingParts.map((name) => `\`${name}\` has failing parts`),
    ...skipping.map((name) => `\`${name}\` skips items`),
    ...(isInconsistent ? ['inconsistent answers'] : []),
    ...particular.map((name) => `\`${name}\` fires`),
  ];
  return reports.join(', ') || '–';
};

/** Fields of one object are listed behind its path, such as `data.intervals[]`: `bytes`, `requests`. */
const listOf = (paths: readonly string[]): string =>
  [...Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf('.') + 1))]
    .map(([prefix, inside]) => {
      const names = inside.map((path) => `\`${path.slice(prefix.length)}\``).join(', ');
      return prefix === '' ? names : `\`${prefix.slice(0, -1)}\`: ${names}`;
    })
    .join('; ');
