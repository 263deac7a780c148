// proxywatch silence list: prints the silences and maintenance windows of a running daemon.

import type { CommandContext, ExitCode } from '../context.ts';
import { askDaemon, type ConnectionOptions } from '../daemon-client/daemon-client.ts';
import { tableLines } from '../table.ts';
import { type ListedSilence, type ListedWindow, type SilenceList, shownTime } from './listed-silence.ts';

export interface ListOptions extends ConnectionOptions {
  /** Whether to print silences that have ended, too. */
  readonly expired?: boolean;
}

/** Throws DaemonError. */
export const listSilences = async (context: CommandContext, options: ListOptions): Promise<ExitCode> => {
  const { data, maintenance } = (await askDaemon(context, options, 'GET', 'api/v1/silences')) as SilenceList;
  const shown = data.filter(({ state }) => options.expired || state !== 'expired');
  const parts = [
    shown.length === 0 ? ['no silences'] : silenceLines(shown),
    ...(maintenance.length === 0 ? [] : [windowLines(maintenance)]),
  ];
  context.stdout.write(`${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`);
  return 0;
};

const ANY = '*';

const silenceLines = (silences: readonly ListedSilence[]): string[] =>
  tableLines(
    ['silence', 'state', 'account', 'alert', 'subject', 'from', 'until', 'comment'].map((header) => ({
      header,
    })),
    silences.map(({ id, state, account, alert, subject, comment, ...times }) => [
      ...[id, state, account ?? ANY, alert ?? ANY, subject ?? ANY],
      ...[shownTime(times.starts_at), shownTime(times.ends_at), comment],
    ]),
  );

const windowLines = (windows: readonly ListedWindow[]): string[] =>
  tableLines(
    ['maintenance', 'state', 'accounts', 'alerts', 'days', 'hours', 'time zone'].map((header) => ({
      header,
    })),
    windows.map((window) => [
      ...[window.name, stateOf(window), window.accounts?.join(',') ?? ANY, window.alerts?.join(',') ?? ANY],
      ...[window.days?.join(',') ?? ANY, window.hours, window.time_zone],
    ]),
  );

const stateOf = ({ active_until: until, next_start_at: start }: ListedWindow): string =>
  until === null ? `from ${shownTime(start ?? '')}` : `until ${shownTime(until)}`;
