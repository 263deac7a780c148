// What the daemon's own conditions of alerts find in a house, as its store, settings and clock have it.

import type { Evaluation } from '../../src/alerts/alert.ts';
import { ALERTS } from '../../src/alerts/table.ts';
import type { Collector } from '../../src/collectors/collector.ts';
import type { House } from '../support/house.ts';

/** By the first label of the alert, the values; without labels by the empty text. Explanations are not looked at. */
export const findingsOf = async (house: House, name: string): Promise<Record<string, number>> => {
  const alert = ALERTS.find((each) => each.name === name);
  if (alert?.scope !== 'account') throw new Error(`${name} is no alert of an account`);
  const [account] = house.app.accounts;
  if (!account) throw new Error('there is no account');
  const { context, settings } = account;
  const { [name]: threshold } = context.thresholds;
  if (threshold === undefined) return {};
  const options = ((collector: Collector) => settings[collector.name] || undefined) as Evaluation['options'];
  const findings: Record<string, number> = {};
  for await (const { labels, value } of alert.find({
    ...{ account: context, store: house.app.store, clock: house.clock, options, threshold },
  }))
    findings[alert.labels.map((label) => labels[label]).join(' ')] = value;
  return findings;
};

/** Whose condition is found at all, by name. */
export const found = async (house: House, names: readonly string[]): Promise<string[]> => {
  const all = await Promise.all(names.map(async (name) => [name, await findingsOf(house, name)] as const));
  return all.filter(([, findings]) => Object.keys(findings).length > 0).map(([name]) => name);
};
