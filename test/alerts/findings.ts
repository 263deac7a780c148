// Helpers that return the findings of alerts by their labels.

import { daemonAlert, findingsOf as listOf } from '../support/findings.ts';
import type { Harness } from '../support/harness.ts';

/**
 * Returns the values of the findings by their labels, joined by spaces; the key is empty for an alert without labels.
 * Suppression is ignored.
 */
export const findingValues = async (harness: Harness, name: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await listOf(harness, name)).map(({ labels, value }) => [
      daemonAlert(name)
        .labels.map((label) => labels[label])
        .join(' '),
      value,
    ]),
  );

/** Returns the names of the alerts that have findings. */
export const alertsFound = async (harness: Harness, names: readonly string[]): Promise<string[]> => {
  const all = await Promise.all(names.map(async (name) => [name, await listOf(harness, name)] as const));
  return all.filter(([, findings]) => findings.length > 0).map(([name]) => name);
};
