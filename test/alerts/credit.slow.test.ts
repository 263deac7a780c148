// Tests when the alert about store credit below the renewals of services has a finding. Two services are renewed in time, and the
// second one is changed.

import { expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { services } from '../../src/simulator/identities.ts';
import { parseScenario, type ScenarioInput } from '../../src/simulator/scenario.ts';
import { findingsOf } from '../support/findings.ts';
import { Harness } from '../support/harness.ts';

const POLL = 30 * MINUTE;
const SCENARIO: ScenarioInput = { proxies: 20, services: 3, credit_cents: 1_000 };
const RENEWED = {
  service_is_automatic_collection: true,
  service_expiry_datetime: '2026-07-10 00:00:00',
  service_total: 700,
};
const LATER = { ...RENEWED, service_expiry_datetime: '2026-08-01 00:00:00' };
const ON = {
  services: { discover: false, ids: services(parseScenario(SCENARIO)).map(({ id }) => id) },
  customer: {},
};

const build = (): Promise<Harness> =>
  Harness.build({
    now: '2026-07-06T12:01:30Z',
    scenario: {
      ...SCENARIO,
      changes: [RENEWED, RENEWED, LATER].map((set, subject) => ({ kind: 'service', subject, set })),
    },
    account: {
      ...{ traffic: false, residential_ledger: false, proxy_users: false, reconciliation: false },
      ...ON,
    },
  });

const found = (harness: Harness) => findingsOf(harness, 'CreditBelowRenewals');
const SHORT = [{ labels: {}, value: 400 }];

/** Changes these fields of the second service in all further answers. */
const set = async (harness: Harness, fields: Record<string, unknown>): Promise<void> => {
  const others = harness.simulator.changes.list.filter(({ subject }) => subject !== 1);
  harness.simulator.changes.replace([
    ...others,
    { kind: 'service', subject: 1, set: { ...RENEWED, ...fields } },
  ]);
  await harness.advance(POLL);
};

it('is found if the credit is below the renewals of a week, of which all is known', async () => {
  await using harness = await build();
  expect(await found(harness)).toEqual(SHORT);
  for (const fields of [
    { service_expiry_datetime: '2026-07-14 00:00:00' },
    { service_expiry_datetime: '2026-07-06 11:00:00' },
    { service_expiry_datetime: null },
    { service_total: 300 },
    { service_is_automatic_collection: false },
    { service_is_pending_cancellation: true },
    { service_subscription_is_paused: true },
    { service_status: 'overdue' },
  ]) {
    await set(harness, fields);
    expect([fields, await found(harness)]).toEqual([fields, []]);
    await set(harness, {});
    expect(await found(harness)).toEqual(SHORT);
  }
});

it('is not found if no service is known to renew from the credit', async () => {
  await using harness = await build();
  for (const fields of [
    { service_total: null },
    { service_is_automatic_collection: null },
    { service_is_pending_cancellation: null },
    { service_status: null },
    { payment_method_id: 'pm_1' },
    { payment_method_id: { id: 'pm_1' } },
  ]) {
    harness.simulator.faults.replace([{ kind: 'set_fields', endpoint: 'service/retrieve', fields }]);
    await harness.advance(POLL);
    expect([fields, await found(harness)]).toEqual([fields, []]);
    harness.simulator.faults.clear();
    await harness.advance(POLL);
    expect(await found(harness)).toEqual(SHORT);
  }
});

it('is judged by the configured time, and ends when the renewals are over or a collector is off', async () => {
  await using harness = await build();
  await set(harness, { service_expiry_datetime: '2026-07-14 00:00:00' });
  expect(await found(harness)).toEqual([]);
  await harness.restart({ alerts: { CreditBelowRenewals: { threshold: '30d' } } });
  expect(await found(harness)).toEqual([{ labels: {}, value: 1_100 }]);
  await harness.restart({ alerts: {} });
  await set(harness, {});
  expect(await found(harness)).toEqual(SHORT);
  for (const [name, options] of Object.entries(ON)) {
    await harness.restart({ [name]: false });
    expect(await found(harness)).toEqual([]);
    await harness.restart({ [name]: options });
    expect(await found(harness)).toEqual(SHORT);
  }
  await harness.advance(4 * DAY);
  expect(await found(harness)).toEqual([]);
});

it('is never found with an unknown credit, and not ended by failing answers', async () => {
  await using harness = await build();
  harness.simulator.faults.add({ kind: 'set_fields', fields: { credit_balance: null } });
  await harness.advance(POLL);
  expect(await found(harness)).toEqual([]);
  harness.simulator.faults.clear();
  await harness.advance(POLL);
  expect(await found(harness)).toEqual(SHORT);
  harness.simulator.faults.add({ kind: 'status', status: 503 });
  await harness.restart();
  await harness.advance(20 * DAY);
  expect(await found(harness)).toEqual(SHORT);
});
