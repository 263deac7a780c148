// Compares a twin with the healthy one: what its samples, alerts, collectors and log show differently.

/** How a series of a twin differs from the same series of the healthy twin. */
export type Change = 'stops' | 'differs' | 'vanishes' | 'appears';

export interface ChangedSeries {
  /** The name and the labels as the exposition writes them. */
  readonly series: string;
  readonly family: string;
  readonly change: Change;
}

export type Samples = ReadonlyMap<string, number>;

/**
 * Returns the series that differ at the end. A series has stopped if it moved in the healthy twin, and still has the
 * value that it had when both began (`before`).
 */
export const changedSeries = (before: Samples, healthy: Samples, faulty: Samples): ChangedSeries[] => {
  const all = new Set([...healthy.keys(), ...faulty.keys()]);
  return [...all].flatMap((series) => {
    const [expected, found] = [healthy.get(series), faulty.get(series)];
    if (Object.is(expected, found)) return [];
    const change = changeOf(before.get(series), expected, found);
    return [{ series, family: familyOf(series), change }];
  });
};

const changeOf = (
  before: number | undefined,
  expected: number | undefined,
  found: number | undefined,
): Change => {
  if (expected === undefined) return before === undefined ? 'appears' : 'stops';
  if (found === undefined) return before === undefined ? 'stops' : 'vanishes';
  return Object.is(found, before) ? 'stops' : 'differs';
};

export const familyOf = (series: string): string =>
  (series.split('{', 1)[0] ?? '').replace(/_(bucket|sum|count)$/, '');

/** Returns the value of a label of a series; undefined without the label. */
export const labelOf = (series: string, label: string): string | undefined =>
  new RegExp(`[{,]${label}="([^"]*)"`).exec(series)?.[1];

/** Returns the values of a label for the samples of a family whose value is wanted. */
export const labelsWith = (
  samples: Samples,
  family: string,
  label: string,
  isWanted: (value: number) => boolean,
): string[] => [
  ...new Set(
    [...samples].flatMap(([series, value]) =>
      familyOf(series) === family && isWanted(value) ? (labelOf(series, label) ?? []) : [],
    ),
  ),
];
