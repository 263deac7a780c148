// proxywatch silence: adds, lists and removes silences of a running daemon.

import type { z } from 'zod';
import type { maintenance } from '../http/alert-view.ts';
import type { silence } from '../http/api/silences.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { askDaemon } from './daemon-client.ts';
import { countOf, shownTime, tableLines, text } from './format.ts';
import type { ConnectionOptions } from './options.ts';

type ListedSilence = z.output<typeof silence>;
type ListedWindow = z.output<typeof maintenance>;

interface SilenceList {
  readonly data: readonly ListedSilence[];
  readonly maintenance: readonly ListedWindow[];
}

export interface AddOptions extends ConnectionOptions {
  readonly account?: string;
  readonly alert?: string;
  readonly subject?: string;
  /** A duration such as 2h. */
  readonly for?: string;
  readonly untilResolved?: boolean;
  /** RFC 3339; now by default. */
  readonly from?: string;
  readonly comment: string;
}

interface AddedSilence extends ListedSilence {
  readonly matching_alerts: number;
  /** Receivers that get the alerts nevertheless. */
  readonly unsilenced_receivers: readonly string[];
}

/** Throws DaemonError. */
export const addSilence = async (context: CommandContext, options: AddOptions): Promise<ExitCode> => {
  const { account, alert, subject, comment, from } = options;
  const ends = { for: options.for, until_resolved: options.untilResolved };
  const request = { account, alert, subject, comment, ...ends, starts_at: from };
  const answer = await askDaemon(context, options, 'POST', 'api/v1/silences', request);
  const added = answer as AddedSilence;
  const start = added.state === 'pending' ? `from ${shownTime(added.starts_at)} ` : '';
  context.stdout.write(`silence ${added.id}: ${scopeOf(added)}, ${start}until ${endOf(added)}
${describeMatches(added.matching_alerts)}
`);
  for (const receiver of added.unsilenced_receivers)
    context.stdout.write(
      `receiver ${receiver} still gets the alerts; add a silence in this Alertmanager too\n`,
    );
  return 0;
};

type End = Pick<ListedSilence, 'until_resolved' | 'ends_at'>;

const endOf = ({ until_resolved: untilResolved, ends_at: at }: End): string =>
  untilResolved ? `resolved, or ${shownTime(at)}` : shownTime(at);

const describeMatches = (count: number): string =>
  count === 0
    ? 'no pending or firing alert matches now; later ones will'
    : `${countOf(count, 'pending or firing alert')} ${count === 1 ? 'matches' : 'match'} now`;

/** Returns what the silence matches, such as `account main, alert DataStale`. */
const scopeOf = ({ account, alert, subject }: ListedSilence): string =>
  Object.entries({ account, alert, subject })
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(', ');

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
    ['silence', 'state', 'account', 'alert', 'subject', 'from', 'until', 'comment'].map(text),
    silences.map(({ id, state, account, alert, subject, comment, ...times }) => [
      ...[id, state, account ?? ANY, alert ?? ANY, subject ?? ANY],
      ...[shownTime(times.starts_at), endOf(times), comment],
    ]),
  );

const windowLines = (windows: readonly ListedWindow[]): string[] =>
  tableLines(
    ['maintenance', 'state', 'accounts', 'alerts', 'days', 'hours', 'time zone'].map(text),
    windows.map((window) => [
      ...[window.name, stateOf(window), window.accounts?.join(',') ?? ANY, window.alerts?.join(',') ?? ANY],
      ...[window.days?.join(',') ?? ANY, window.hours, window.time_zone],
    ]),
  );

const stateOf = ({ active_until: until, next_start_at: start }: ListedWindow): string =>
  until === null ? `from ${shownTime(start ?? '')}` : `until ${shownTime(until)}`;

export interface RemoveOptions extends ConnectionOptions {
  readonly id: string;
}

/** Throws DaemonError. */
export const removeSilence = async (
  context: CommandContext,
  { id, ...options }: RemoveOptions,
): Promise<ExitCode> => {
  await askDaemon(context, options, 'DELETE', `api/v1/silences/${encodeURIComponent(id)}`);
  context.stdout.write(
    `silence ${id}: removed. Receivers are notified of alerts that it kept back, if they still fire\n`,
  );
  return 0;
};
