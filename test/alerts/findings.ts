// The same findings by their labels.

import { alertOf, findingsOf as listOf } from '../support/findings.ts';
import type { Harness } from '../support/harness.ts';

/** By the labels of the alert, the values; without labels by the empty text. Explanations are not looked at. */
export const findingsOf = async (harness: Harness, name: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await listOf(harness, name)).map(({ labels, value }) => [
      alertOf(name)
        .labels.map((label) => labels[label])
        .join(' '),
      value,
    ]),
  );

/** Whose condition is found at all, by name. */
export const found = async (harness: Harness, names: readonly string[]): Promise<string[]> => {
  const all = await Promise.all(names.map(async (name) => [name, await listOf(harness, name)] as const));
  return all.filter(([, findings]) => findings.length > 0).map(([name]) => name);
};
