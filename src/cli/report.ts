// proxywatch report: prints a week or month of each account.

import { proxyUserOptions } from '../collectors/proxy-users/options.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import { reportText } from '../daemon/report/report-text.ts';
import { accountSettings } from '../daemon/settings.ts';
import type { ReportUnit } from '../http/api/report/period.ts';
import { readReport } from '../http/api/report/report.ts';
import type { Report } from '../http/api/report/report-json.ts';
import { systemClock } from '../lib/clock.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { whyNone } from './invoice.ts';
import { type ShardOption, withShard } from './options.ts';

export interface ReportOptions extends ShardOption {
  readonly config: string;
  readonly period: ReportUnit;
  /** A day of the period, as `YYYY-MM-DD`; the newest period that is over if not given. */
  readonly from?: string;
  readonly account?: string;
  readonly format: 'text' | 'json';
}

/** It may run while the daemon runs: it sends no request, and writes nothing. Throws ConfigError and StoreError. */
export const report = async (
  { env, stdout, stderr }: CommandContext,
  { config, period, from, account, format, ...option }: ReportOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, withShard(env, option));
  const accounts = settings.accounts.filter(({ name }) => account === undefined || name === account);
  if (accounts.length === 0) {
    stderr.write(`error: ${whyNone(settings, account)}\n`);
    return 1;
  }
  using store = openSqliteStoreReadOnly(settings.store.path);
  const { evaluate, receivers } = settings.alerts;
  // The store is read once, so nothing needs to be cached.
  const view = { revision: () => '' };
  const reports: Report[] = [];
  for (const each of accounts) {
    const found = {
      ...{ settings: accountSettings(each, settings), store, clock: systemClock },
      userOptions: each.proxy_users || proxyUserOptions.parse({}),
      keptMs: settings.store.retention.daily,
      isEvaluated: evaluate ?? receivers.length > 0,
    };
    reports.push(await readReport(view, found, { unit: period, date: from }));
  }
  stdout.write(
    format === 'json' ? `${JSON.stringify(reports, null, 2)}\n` : reports.map(reportText).join('\n'),
  );
  return 0;
};
