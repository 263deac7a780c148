// Provides a stub provider whose ledger and proxy users a test writes row by row, and a daemon that polls it.

import { HOUR } from '../../src/lib/time.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { Harness, type HarnessOptions } from '../support/harness.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A time just after the slots of hourly schedules, with their offsets. */
export const START = '2026-07-06T12:01:30Z';
const PER_PAGE = 100;

/** Answers searches with its current rows. */
export class StubAccount implements AsyncDisposable {
  ledger: Row[] = [];
  mobileLedger: Row[] = [];
  users: Row[] = [];
  /** Returns the total count in the answer for a page. A test may replace it with a wrong one. */
  totalCountOf = (rows: readonly Row[], _page: number): number => rows.length;
  /** Whether the answer for a page has no rows at all, so that the listing fails. */
  failsAt = (_page: number): boolean => false;
  #provider: FakeProvider | undefined;

  static async start(): Promise<StubAccount> {
    const account = new StubAccount();
    account.#provider = await startFakeProvider(({ path, query }) => {
      const rows = path.includes('residential_ledger')
        ? account.ledger
        : path.includes('mobile_ledger')
          ? account.mobileLedger
          : account.users;
      const page = Number(query.page);
      return {
        body: {
          data: account.failsAt(page) ? null : rows.slice((page - 1) * PER_PAGE, page * PER_PAGE),
          total_count: account.totalCountOf(rows, page),
        },
      };
    });
    return account;
  }

  get requests(): number {
    return this.#provider?.requests.length ?? 0;
  }

  /** Builds a daemon that only polls `section` of this account, every hour. */
  async buildHarness(
    section: 'residential_ledger' | 'mobile_ledger' | 'proxy_users',
    options: Row = {},
    harness: Partial<HarnessOptions> = {},
    others: Row = {},
  ): Promise<Harness> {
    return Harness.build({
      now: START,
      firstStepHold: '0s',
      ...harness,
      account: {
        base_url: this.#provider?.baseUrl,
        traffic: false,
        residential_ledger: false,
        proxy_users: false,
        reconciliation: false,
        [section]: { schedule: '0 * * * *', ...options },
        ...others,
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider?.[Symbol.asyncDispose]();
  }
}

let rowCount = 0;

/** Makes a row of the ledger on the day of the start. */
export const ledgerRow = (reason: string, bytes: number, more: Row = {}): Row => ({
  residential_ledger_id: `row-${++rowCount}`,
  customer_id: 4711,
  service_id: null,
  residential_ledger_reason: reason,
  residential_ledger_bytes: bytes,
  residential_ledger_requests: 0,
  residential_ledger_period_date: '2026-07-06',
  ...more,
});

/** Turns a row of the residential ledger into one of the mobile ledger. */
export const asMobile = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.replace(/^residential_/, 'mobile_'), value]),
  );

/** Makes a proxy user without limits that has used nothing. */
export const userRow = (id: string, more: Row = {}): Row => ({
  proxy_user_id: id,
  proxy_user_password: `hunter2-${id}`,
  customer_id: 4711,
  proxy_user_access_type: 'all',
  proxy_user_is_default: false,
  proxy_user_is_deleted: false,
  proxy_user_residential_bytes_limit: null,
  proxy_user_residential_bytes_used: 0,
  proxy_user_mobile_bytes_limit: null,
  proxy_user_mobile_bytes_used: 0,
  ...more,
});

/** Makes a proxy user with a limit and a use of residential bytes only. */
export const residentialUserRow = (
  id: string,
  limit: number | null,
  used: number | null,
  more: Row = {},
): Row =>
  userRow(id, {
    proxy_user_residential_bytes_limit: limit,
    proxy_user_residential_bytes_used: used,
    ...more,
  });

/** Advances to the next poll, which reads what the test has changed. */
export const poll = (harness: Harness): Promise<void> => harness.advance(HOUR);

/** Returns the result and the error kind of the last run. */
export const lastRun = async (harness: Harness): Promise<{ result?: string; errorKind?: string | null }> => {
  const [run] = await harness.app.store.runs.states('main');
  return run ? { result: run.result, errorKind: run.errorKind } : {};
};
