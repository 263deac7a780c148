// Odd answers for properties: samples with fields that are null, left out, unheard of or new.

import fc from 'fast-check';

type Row = Readonly<Record<string, unknown>>;
export const STRANGE = 'brand_new';

/**
 * `sample` with any of its fields null, missing or, where it is one of the `open` enumerations, of a new value;
 * `needed` fields stay. A field that nobody knows is beside them.
 */
export const battered = (
  sample: Row,
  { needed, open = [] }: { needed: readonly string[]; open?: readonly string[] },
): fc.Arbitrary<Row> => {
  const fate = (name: string): fc.Arbitrary<Row> =>
    fc.constantFrom<Row>(
      { [name]: sample[name] },
      ...(needed.includes(name) ? [] : [{ [name]: null }, {}]),
      ...(open.includes(name) ? [{ [name]: STRANGE }] : []),
    );
  return fc
    .tuple(...Object.keys(sample).map(fate))
    .map((fields) => Object.assign({ a_new_field: { deep: [1] } }, ...fields));
};

/** Whether `values` are those of `whole`, or nothing; false stands for a flag that is not given. */
export const isPartOf = (values: object, whole: object): boolean =>
  Object.entries(values).every(
    ([name, value]) =>
      value === null ||
      value === false ||
      value === STRANGE ||
      JSON.stringify(value) === JSON.stringify((whole as Row)[name]),
  );
