// Replaces src/provider/schema.ts in tests that must know which fields of the answers are read.

import type { FieldReads } from './field-reads.ts';

type Schema = typeof import('../../../src/provider/schema.ts');

/** Set while the reads of fields are recorded. */
export const observation: { reads: FieldReads | undefined } = { reads: undefined };

export const observedSchema = async (original: () => Promise<Schema>): Promise<Schema> => {
  const schema = await original();
  const decodeAnswer: Schema['decodeAnswer'] = (call, answer, secrets) =>
    schema.decodeAnswer(call, observation.reads?.observe(call.endpoint, answer) ?? answer, secrets);
  return { ...schema, decodeAnswer };
};
