// Tests a simulated month of a daemon with all collectors, faults at random and things that come and go: what the
// daemon holds does not grow after the tenth day, and its counters equal the truth.
//
// CI runs 30 days with fewer polls than by default: most collectors run every 2 hours, and the others every 4 hours.
// MONTH_POLLS=2 runs twice as many. docs/contributing/resilience.md describes all variables.

import { expect, test } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import {
  expectedLedgerGrowth,
  expectedTrafficGrowth,
  netLedgerCounters,
  netTrafficCounters,
} from '../support/expected-counters.ts';
import type { Samples } from '../support/samples.ts';
import { GRAPHS, START } from './month/account.ts';
import { comparedFigures, FEWEST_DAYS, isCompared } from './month/expectations.ts';
import { Month } from './month/month.ts';
import { DAYS, POLLS, SEED } from './month/options.ts';

test(`${DAYS} days with seed ${SEED}`, { timeout: 1_800_000 }, async () => {
  console.log({ seed: SEED, days: DAYS, polls: POLLS });
  expect(DAYS).toBeGreaterThanOrEqual(FEWEST_DAYS);
  await using month = await Month.begin(SEED);
  for (let day = 0; day < DAYS; day += 1) {
    await month.day();
    if (isCompared(day)) await month.record(day);
  }
  const { figures, simulator, events, clients, daemon } = month;
  const compared = comparedFigures(figures);
  console.table(compared);
  console.log({ requests: simulator.requests.count(), disturbances: events.count, answers: clients.answers });
  if (process.env.MONTH_SNAPSHOT) await daemon.writeHeapSnapshot(process.env.MONTH_SNAPSHOT);

  expect(compared.filter(({ after, allowed }) => !(after <= allowed))).toEqual([]);
  expect(figures.last('rows of ledger')).toBe(simulator.truth.ledger().length);
  const samples = await month.samples();
  expectTruth(month, samples);
  expectActivity(month, samples);
});

const expectTruth = ({ simulator, now }: Month, samples: Samples): void => {
  const truthOf = (name: string) =>
    expectedTrafficGrowth(simulator, GRAPHS[name]?.filter ?? {}, START, now + MINUTE);
  for (const name of ['', ...Object.keys(GRAPHS)])
    expect([name, netTrafficCounters(samples, name)]).toEqual([name, truthOf(name)]);
  expect(netLedgerCounters(samples)).toEqual(expectedLedgerGrowth(simulator, START));
  const used = samples.by('proxy_user_id', 'proxywatch_proxy_user_used_bytes', {
    product_type: 'residential',
  });
  const truth = [...simulator.truth.users()].map(([id, { residential }]) => [id, residential]);
  expect(used).toEqual(Object.fromEntries(truth.filter(([id]) => String(id) in used)));
  expect(Object.keys(used).length).toBeGreaterThan(truth.length / 2);
};

/** Every collector ran more than a hundred times, most disturbances reached the daemon, and clients were served. */
const expectActivity = ({ events, clients }: Month, samples: Samples): void => {
  const runs = samples.all('proxywatch_collector_runs_total', { account: 'main' });
  for (const [collector, own] of Map.groupBy(runs, ({ labels }) => labels.collector ?? ''))
    expect([collector, sum(own.map(({ value }) => value)) > 4 * DAYS]).toEqual([collector, true]);
  expect(events.count).toBeGreaterThan(5 * DAYS);
  expect(clients.answers).toBeGreaterThan(50 * DAYS);
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
