// proxywatch report: prints a week or month of each account, or sends it to a receiver.

import { randomUUID } from 'node:crypto';
import type { Annotate } from '../alerts/annotations.ts';
import { isRouted, type RoutedOptions } from '../alerts/receivers/options.ts';
import { createNotificationTransport } from '../alerts/receivers/receivers.ts';
import { takesReports } from '../alerts/receivers/webhook-options.ts';
import { proxyUserOptions } from '../collectors/proxy-users/options.ts';
import { loadSettings } from '../daemon/load-settings.ts';
import { reportContent, reportText } from '../daemon/report/report-text.ts';
import { accountSettings, type Settings } from '../daemon/settings.ts';
import { readReport } from '../http/api/report/report.ts';
import type { Report } from '../http/api/report/report-json.ts';
import type { ReportUnit } from '../lib/calendar.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { lineOf } from './doctor/check-result.ts';
import { whyNone } from './invoice.ts';
import { resultOf } from './notify.ts';
import { mistakeInReceiver, type ShardOption, withShard } from './options.ts';

export interface ReportOptions extends ShardOption {
  readonly config: string;
  readonly period: ReportUnit;
  /** A day of the period, as `YYYY-MM-DD`; the newest period that is over if not given. */
  readonly from?: string;
  readonly account?: string;
  readonly format: 'text' | 'json';
  readonly send?: string;
}

/**
 * Prints the reports, or sends them, and returns 1 if the receiver did not accept all of them. It may run while the daemon
 * runs: it sends the provider no request, and writes nothing. Throws ConfigError and StoreError.
 */
export const report = async (
  { env, stdout, stderr, version }: CommandContext,
  { config, period, from, account, format, send, ...option }: ReportOptions,
): Promise<ExitCode> => {
  const { config: settings } = loadSettings(config, withShard(env, option));
  const accounts = settings.accounts.filter(({ name }) => account === undefined || name === account);
  if (accounts.length === 0) {
    stderr.write(`error: ${whyNone(settings, account)}\n`);
    return 1;
  }
  const receiver = send === undefined ? undefined : receiverNamed(settings, send);
  if (typeof receiver === 'string') {
    stderr.write(`error: ${receiver}\n`);
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
  if (receiver) return sendReports(reports, receiver, `proxywatch/${version}`, stdout);
  stdout.write(
    format === 'json' ? `${JSON.stringify(reports, null, 2)}\n` : reports.map(reportText).join('\n'),
  );
  return 0;
};

/** Returns the receiver, or why it gets no reports. */
const receiverNamed = ({ alerts: { receivers } }: Settings, name: string): RoutedOptions | string => {
  const mistake = mistakeInReceiver(receivers, 'alerts.receivers', name);
  const found = receivers.find((each) => each.name === name);
  if (mistake !== undefined || !found) return mistake ?? '';
  const takes = isRouted(found) && (found.type === 'email' || takesReports(found));
  return takes ? found : `--send: the receiver ${name} takes no reports`;
};

const sendReports = async (
  reports: readonly Report[],
  receiver: RoutedOptions,
  userAgent: string,
  stdout: CommandContext['stdout'],
): Promise<ExitCode> => {
  const annotate: Annotate = ({ summary }) => ({ summary });
  const context = { clock: systemClock, log: silentLog, userAgent, annotate };
  await using transport = createNotificationTransport(receiver, context);
  let code: ExitCode = 0;
  for (const each of reports) {
    const delivery = await transport.send({ id: randomUUID(), content: reportContent(each) });
    const result = resultOf(`receiver ${receiver.name}, account ${each.account}`, delivery);
    stdout.write(`${lineOf(result)}\n`);
    if (result.status === 'failed') code = 1;
  }
  return code;
};
