// Tests when the alerts about a balance have findings, and that the status page claims the same without alerts.

import { describe, expect, it } from 'vitest';
import { ledgerJson, readLedger } from '../../src/http/api/ledger.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { verdicts } from '../../src/page/views/signs.ts';
import { asMobile, ledgerRow, poll, type Row, StubAccount } from '../collectors/stub-account.ts';
import { findingLabels, findingsOf } from '../support/findings.ts';
import type { Harness } from '../support/harness.ts';

const on = (date: string) => ({ residential_ledger_period_date: date });
const KINDS = ['Exhausted', 'Low', 'ExhaustionSoon'];

describe.each([
  ['residential', 'ResidentialBalance'],
  ['mobile', 'MobileBalance'],
] as const)('of the %s ledger', (type, prefix) => {
  const found = async (harness: Harness): Promise<string[]> => {
    const names: string[] = [];
    for (const kind of KINDS)
      if ((await findingLabels(harness, prefix + kind)).length > 0) names.push(prefix + kind);
    return names;
  };

  /** Returns the alerts that the status page claims from the API's answer. */
  const claimed = async ({ app: { store, accounts }, clock }: Harness): Promise<string[]> => {
    const [account] = accounts;
    if (!account) throw new Error('no account');
    const judged = await readLedger(type, { store, clock, settings: account.context });
    const answer = { data: [ledgerJson('main', judged)], next_cursor: null };
    return verdicts(type === 'mobile' ? { mobileLedger: answer } : { ledger: answer }).map(
      ({ alert }) => alert,
    );
  };

  const add = (account: StubAccount, ...rows: readonly Row[]): void => {
    if (type === 'mobile') account.mobileLedger.push(...rows.map(asMobile));
    else account.ledger.push(...rows);
  };
  const show = (account: StubAccount, rows: readonly Row[]): void => {
    [account.ledger, account.mobileLedger] = [[], []];
    add(account, ...rows);
  };

  it('a balance is low, then used up, and a top-up ends both', async () => {
    await using account = await StubAccount.start();
    show(account, [ledgerRow('top_up', 1_000, on('2026-06-20')), ledgerRow('usage', -800)]);
    await using harness = await account.buildHarness(`${type}_ledger`);
    expect(await found(harness)).toEqual([]);
    add(account, ledgerRow('usage', -150));
    await poll(harness);
    expect(await findingsOf(harness, `${prefix}Low`)).toEqual([{ labels: {}, value: 0.05 }]);
    add(account, ledgerRow('usage', -80));
    await poll(harness);
    expect(await found(harness)).toEqual([`${prefix}Exhausted`]);
    expect(await findingsOf(harness, `${prefix}Exhausted`)).toEqual([{ labels: {}, value: -30 }]);
    expect(await claimed(harness)).toEqual([`${prefix}Exhausted`]);
    add(account, ledgerRow('top_up', 1_000));
    await poll(harness);
    expect(await found(harness)).toEqual([]);
  });

  it('finds no exhausted balance that was unused for a week, and no low one without additions in 30 days', async () => {
    await using account = await StubAccount.start();
    show(account, [
      ledgerRow('top_up', 1_000, on('2026-06-06')),
      ledgerRow('usage', -1_000, on('2026-06-29')),
    ]);
    await using harness = await account.buildHarness(`${type}_ledger`);
    expect(await found(harness)).toEqual([]);
    expect(await claimed(harness)).toEqual([]);
    show(account, [ledgerRow('top_up', 1_000, on('2026-06-06')), ledgerRow('usage', -950, on('2026-06-30'))]);
    await using other = await account.buildHarness(`${type}_ledger`);
    expect(await found(other)).toEqual([]);
  });

  it('finds nothing if there are no rows, or if a row could not be decoded', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness(`${type}_ledger`);
    expect(await found(harness)).toEqual([]);
    show(account, [ledgerRow('usage', -10), ledgerRow('top_up', 5, { residential_ledger_bytes: 'five' })]);
    await poll(harness);
    expect(await found(harness)).toEqual([]);
  });

  it('finds exhaustion that is forecast within three days of the newest listing, not of the current time', async () => {
    await using account = await StubAccount.start();
    await using harness = await account.buildHarness(`${type}_ledger`);
    const use = async (total: number, hours: number): Promise<void> => {
      for (let hour = 0; hour < hours; hour += 1) {
        const used = 1_000 * (harness.clock.now() / HOUR - Date.parse('2026-07-06T12:00:00Z') / HOUR);
        show(account, [
          ledgerRow('top_up', total, { residential_ledger_id: 'top-up' }),
          ledgerRow('usage', -Math.round(used), { residential_ledger_id: 'usage' }),
        ]);
        await poll(harness);
      }
    };
    await use(120_000, 30);
    expect(await found(harness)).toEqual([]);
    show(account, []);
    await harness.stop();
    harness.clock.advance(DAY);
    await harness.start();
    expect(await found(harness)).toEqual([]);
    await use(120_000, 4);
    expect(await found(harness)).toEqual([`${prefix}ExhaustionSoon`]);
    await use(1_000_000, 1);
    expect(await found(harness)).toEqual([]);
  });
});
