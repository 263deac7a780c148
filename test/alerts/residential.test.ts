// Tests when the alerts about the residential balance have findings, and that the status page claims the same without alerts.

import { expect, it } from 'vitest';
import { ledgerJson, readLedger } from '../../src/http/api/ledger.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { verdicts } from '../../src/page/views/signs.ts';
import { ledgerRow, poll, StubAccount } from '../collectors/stub-account.ts';
import { findingLabels, findingsOf } from '../support/findings.ts';
import type { Harness } from '../support/harness.ts';

const on = (date: string) => ({ residential_ledger_period_date: date });
const ALERTS = ['ResidentialBalanceExhausted', 'ResidentialBalanceLow', 'ResidentialBalanceExhaustionSoon'];

const found = async (harness: Harness): Promise<string[]> => {
  const names: string[] = [];
  for (const name of ALERTS) if ((await findingLabels(harness, name)).length > 0) names.push(name);
  return names;
};

/** Returns the alerts that the status page claims from the API's answer. */
const claimed = async ({ app: { store, accounts }, clock }: Harness): Promise<string[]> => {
  const [account] = accounts;
  if (!account) throw new Error('no account');
  const judged = await readLedger({ store, clock, settings: account.context });
  const data = { ledger: { data: [ledgerJson('main', judged)], next_cursor: null } };
  return verdicts(data).map(({ alert }) => alert);
};

it('a balance is low, then used up, and a top-up ends both', async () => {
  await using account = await StubAccount.start();
  account.ledger = [ledgerRow('top_up', 1_000, on('2026-06-20')), ledgerRow('usage', -800)];
  await using harness = await account.buildHarness('residential_ledger');
  expect(await found(harness)).toEqual([]);
  account.ledger.push(ledgerRow('usage', -150));
  await poll(harness);
  expect(await findingsOf(harness, 'ResidentialBalanceLow')).toEqual([{ labels: {}, value: 0.05 }]);
  account.ledger.push(ledgerRow('usage', -80));
  await poll(harness);
  expect(await found(harness)).toEqual(['ResidentialBalanceExhausted']);
  expect(await findingsOf(harness, 'ResidentialBalanceExhausted')).toEqual([{ labels: {}, value: -30 }]);
  expect(await claimed(harness)).toEqual(['ResidentialBalanceExhausted']);
  account.ledger.push(ledgerRow('top_up', 1_000));
  await poll(harness);
  expect(await found(harness)).toEqual([]);
});

it('finds no exhausted balance that was unused for a week, and no low one without additions in 30 days', async () => {
  await using account = await StubAccount.start();
  account.ledger = [
    ledgerRow('top_up', 1_000, on('2026-06-06')),
    ledgerRow('usage', -1_000, on('2026-06-29')),
  ];
  await using harness = await account.buildHarness('residential_ledger');
  expect(await found(harness)).toEqual([]);
  expect(await claimed(harness)).toEqual([]);
  account.ledger = [ledgerRow('top_up', 1_000, on('2026-06-06')), ledgerRow('usage', -950, on('2026-06-30'))];
  await using other = await account.buildHarness('residential_ledger');
  expect(await found(other)).toEqual([]);
});

it('finds nothing if there are no rows, or if a row could not be decoded', async () => {
  await using account = await StubAccount.start();
  await using harness = await account.buildHarness('residential_ledger');
  expect(await found(harness)).toEqual([]);
  account.ledger = [ledgerRow('usage', -10), ledgerRow('top_up', 5, { residential_ledger_bytes: 'five' })];
  await poll(harness);
  expect(await found(harness)).toEqual([]);
});

it('finds exhaustion that is forecast within three days of the newest listing, not of the current time', async () => {
  await using account = await StubAccount.start();
  await using harness = await account.buildHarness('residential_ledger');
  const use = async (total: number, hours: number): Promise<void> => {
    for (let hour = 0; hour < hours; hour += 1) {
      const used = 1_000 * (harness.clock.now() / HOUR - Date.parse('2026-07-06T12:00:00Z') / HOUR);
      account.ledger = [
        ledgerRow('top_up', total, { residential_ledger_id: 'top-up' }),
        ledgerRow('usage', -Math.round(used), { residential_ledger_id: 'usage' }),
      ];
      await poll(harness);
    }
  };
  await use(120_000, 30);
  expect(await found(harness)).toEqual([]);
  account.ledger = [];
  await harness.stop();
  harness.clock.advance(DAY);
  await harness.start();
  expect(await found(harness)).toEqual([]);
  await use(120_000, 4);
  expect(await found(harness)).toEqual(['ResidentialBalanceExhaustionSoon']);
  await use(1_000_000, 1);
  expect(await found(harness)).toEqual([]);
});
