// Defines the JSON of amounts by the values of a label from metadata.

import { z } from 'zod';
import type { LabelParts } from '../../lib/label-parts.ts';
import { account, count, text } from './item.ts';
import type { Shape } from './route.ts';

interface Words {
  /** What has the metadata, such as `Users`. */
  readonly subjects: string;
  /** What the first values have the most of. */
  readonly most: string;
}

/** Returns the schema of a label whose parts have these amounts. */
export const labelPartsOf = <const S extends Shape>(amounts: S, { subjects, most }: Words) =>
  z.strictObject({
    account,
    label: text.describe('Key of the metadata'),
    values: z
      .array(z.strictObject({ value: text, ...amounts }))
      .describe(`The values with the most ${most}, the largest first, at most 20`),
    others: z.strictObject({ values: count.describe('Number of all other values'), ...amounts }),
    not_set: z.strictObject(amounts).describe(`${subjects} without a value of the key`),
    unknown: z
      .strictObject(amounts)
      .describe(`${subjects} whose metadata has not been read since the key was listed`),
  });

/** `json` converts the amounts of a part. */
export const labelPartsJson = <T extends object, J extends object>(
  account: string,
  { label, values, others, notSet, unknown }: LabelParts<T>,
  json: (amounts: T) => J,
) => ({
  ...{ account, label },
  values: values.map((each) => ({ value: each.value, ...json(each) })),
  others: { values: others.values, ...json(others) },
  not_set: json(notSet),
  unknown: json(unknown),
});
