// Builds a daemon that compares its sources every day, with a provider whose answers agree unless the scenario differs.

import { HOUR } from '../../../src/lib/time.ts';
import type { ScenarioInput } from '../../../src/simulator/scenario.ts';
import type { ReconciledDay } from '../../../src/store/reconciliation-store.ts';
import { Harness, type HarnessOptions } from '../../support/harness.ts';

export const START = '2026-07-06T12:01:30Z';
export const SCENARIO: ScenarioInput = { start: '2026-07-04T00:00:00Z', users: 4, services: 3 };

interface ReconciliationHarnessOptions extends Pick<HarnessOptions, 'clock' | 'simulator'> {
  readonly now?: string;
  readonly scenario?: ScenarioInput;
  readonly traffic?: Record<string, unknown>;
  readonly account?: Record<string, unknown>;
}

/** Polls rarely, but polls users near each end of the day. Buckets are minutes unless `traffic` has another interval. */
export const buildReconciliation = ({
  now = START,
  scenario,
  traffic,
  account,
  ...rest
}: ReconciliationHarnessOptions = {}) =>
  Harness.build({
    ...rest,
    now,
    scenario: { ...SCENARIO, ...scenario },
    account: {
      traffic: {
        schedule: '0 */6 * * *',
        reread: '8h',
        catch_up: '1d',
        concurrency: false,
        graphs: [{ name: 'by-the-byte', product_type: 'residential' }],
        ...traffic,
      },
      residential_ledger: { schedule: '5 */6 * * *' },
      proxy_users: { schedule: '0 1,12,23 * * *' },
      ...account,
    },
  });

export const advanceHours = async (harness: Harness, hours: number): Promise<void> => {
  for (let hour = 0; hour < hours; hour += 1) await harness.advance(HOUR);
};

/** Returns the comparisons of a date by pair. */
export const comparisonsOn = async (
  harness: Harness,
  date: string,
): Promise<Record<string, ReconciledDay>> => {
  const days = await harness.app.store.reconciliation.days('main', 0, Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(days.filter((day) => day.date === date).map((day) => [day.pair, day]));
};
