// Generates variants of a sample answer for property tests: fields that are null or missing, new fields and new values.

import fc from 'fast-check';

type Row = Readonly<Record<string, unknown>>;
export const NEW_VALUE = 'brand_new';

/**
 * Generates `sample` with any of its fields null or missing, and with a new value in the `open` enumerations. The
 * `required` fields keep their values. Each variant also has an unknown field.
 */
export const sampleVariants = (
  sample: Row,
  { required, open = [] }: { required: readonly string[]; open?: readonly string[] },
): fc.Arbitrary<Row> => {
  const fieldVariants = (name: string): fc.Arbitrary<Row> =>
    fc.constantFrom<Row>(
      { [name]: sample[name] },
      ...(required.includes(name) ? [] : [{ [name]: null }, {}]),
      ...(open.includes(name) ? [{ [name]: NEW_VALUE }] : []),
    );
  return fc
    .tuple(...Object.keys(sample).map(fieldVariants))
    .map((fields) => Object.assign({ a_new_field: { deep: [1] } }, ...fields));
};

/** Whether each of `values` equals the one of `complete` or is missing; false is the value of a flag that is not given. */
export const isSubset = (values: object, complete: object): boolean =>
  Object.entries(values).every(
    ([name, value]) =>
      value === null ||
      value === false ||
      value === NEW_VALUE ||
      JSON.stringify(value) === JSON.stringify((complete as Row)[name]),
  );
