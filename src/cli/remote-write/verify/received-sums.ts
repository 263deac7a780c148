// Asks a receiver for the sums of a day.

import type { Day } from '../../../collectors/reconciliation/days.ts';
import type { Family } from '../../../lib/family.ts';
import { SECOND } from '../../../lib/time.ts';
import type { Querier } from '../../../remote-write/querier.ts';

type Labels = Readonly<Record<string, string>>;

/** The label in which the answer names the family, because a sum has no name. No family has this label. */
const FAMILY_LABEL = 'family';

/** Identifies a series of an account without its revision. Engines have no empty labels. */
export const seriesKey = (family: string, labels: Labels): string =>
  JSON.stringify([
    family,
    ...Object.entries(labels)
      .filter(([, value]) => value !== '')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);

/**
 * Returns the sums of all series of these families in a day, by their key. `labels` are those that select the samples of
 * an account. Rejects with QueryError and the signal's reason.
 */
export const receivedSums = async (
  querier: Querier,
  families: readonly Family[],
  labels: Labels,
  day: Day,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> => {
  const expression = families.map((family) => sumOf(family, labels, day)).join(' or ');
  const found = await querier.query(expression, day.end - 1, signal);
  return new Map(
    found.map(({ labels: { [FAMILY_LABEL]: family = '', ...rest }, value }) => [
      seriesKey(family, rest),
      value,
    ]),
  );
};

/**
 * Samples have whole seconds. The range begins between two of them and ends before the next day, so it does not matter
 * whether an engine includes the ends of a range: Prometheus 2 includes both, and Prometheus 3 only the second.
 */
const sumOf = ({ name, labels }: Family, selected: Labels, { start, end }: Day): string => {
  const selector = Object.entries(selected).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const samples = `${name}{${selector.join(',')}}[${end - 1 - start + SECOND - 1}ms]`;
  return `label_replace(sum by (${labels.join(', ')}) (sum_over_time(${samples})), "${FAMILY_LABEL}", "${name}", "", "")`;
};
