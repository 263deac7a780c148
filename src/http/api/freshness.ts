// Describes how fresh the data of an answer is, so that an empty list is not mistaken for good news.

import { z } from 'zod';
import type { CollectorName } from '../../collectors/context.ts';
import { type Freshness, readFreshness } from '../../collectors/freshness.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import type { AccountView, DaemonView } from '../daemon-view.ts';
import { dataState } from '../status-view.ts';
import { accountItemOf, orNull, text } from './item.ts';

export const { schema: freshness, json: toJson } = accountItemOf<Freshness>()('Freshness', () => ({
  collector: text,
  state: dataState,
  as_of: orNull.time.describe('Time of the last success, or null while there is no data'),
  watched_since: orNull.time.describe(
    'Time since which the collector has run without a gap of more than three intervals, or null before the end of its first run',
  ),
  error: z.strictObject({ kind: text, message: text }).nullable().describe('First error of the last run'),
}));

/** The tester that an answer is about; undefined if the answer has results of several testers. */
type TesterOfAnswer = string | undefined;

/** Returns an entry for each of the accounts, and for tests one for each collector that has results in the answer. */
export const freshnessJson = async (
  view: DaemonView,
  accounts: readonly string[],
  collector: DataSource,
  tester?: TesterOfAnswer,
) => {
  const entries = await Promise.all(
    accounts.map(async (account) =>
      (await freshnessOf(view, account, collector, tester)).map((each) => toJson(account, each)),
    ),
  );
  return entries.flat();
};

/** What reads the data of an answer: a collector, or those of the ledgers that are on. */
export type DataSource = CollectorName | 'ledgers';

/** Answers with tests have the results of the provider's testers, of the probes, or of both. */
const readBy = (
  collector: DataSource,
  { settings: { collectors, probes } }: AccountView,
  tester: TesterOfAnswer,
): readonly CollectorName[] => {
  if (collector === 'ledgers') {
    const ledgers = METERED_TYPES.map((type) => `${type}_ledger` as const);
    const polled = ledgers.filter((name) => collectors.includes(name));
    return polled.length === 0 ? ['residential_ledger'] : polled;
  }
  if (collector !== 'proxy_tests') return [collector];
  const enabled = (['proxy_tests', 'probes'] as const).filter((name) => collectors.includes(name));
  if (enabled.length < 2) return enabled.length === 0 ? [collector] : enabled;
  if (tester === undefined) return enabled;
  return [probes && probes.vantage === tester ? 'probes' : collector];
};

/** Reads the freshness of an account's data. An account that is no longer configured is not monitored. */
const freshnessOf = async (
  view: DaemonView,
  name: string,
  collector: DataSource,
  tester: TesterOfAnswer,
): Promise<Freshness[]> => {
  const found = view.account(name);
  if (!found)
    return [
      {
        collector: collector === 'ledgers' ? 'residential_ledger' : collector,
        state: 'not_monitored',
        asOf: null,
        watchedSince: null,
        error: null,
      },
    ];
  const { settings, store, clock } = found;
  return Promise.all(
    readBy(collector, found, tester).map((each) => readFreshness(settings, each, store, clock.now())),
  );
};
