// proxywatch silence add: makes a running daemon hold notifications about the matching alerts back.

import type { CommandContext, ExitCode } from '../context.ts';
import { askDaemon, type ConnectionOptions } from '../daemon-client/daemon-client.ts';
import { countOf } from '../format.ts';
import { type ListedSilence, scopeOf, shownTime } from './listed-silence.ts';

export interface AddOptions extends ConnectionOptions {
  readonly account?: string;
  readonly alert?: string;
  readonly subject?: string;
  /** A duration such as 2h. */
  readonly for: string;
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
  const request = { account, alert, subject, comment, for: options.for, starts_at: from };
  const answer = await askDaemon(context, options, 'POST', 'api/v1/silences', request);
  const added = answer as AddedSilence;
  const start = added.state === 'pending' ? `from ${shownTime(added.starts_at)} ` : '';
  context.stdout.write(`silence ${added.id}: ${scopeOf(added)}, ${start}until ${shownTime(added.ends_at)}
${describeMatches(added.matching_alerts)}
`);
  for (const receiver of added.unsilenced_receivers)
    context.stdout.write(
      `receiver ${receiver} still gets the alerts; add a silence in this Alertmanager too\n`,
    );
  return 0;
};

const describeMatches = (count: number): string =>
  count === 0
    ? 'no pending or firing alert matches now; later ones will'
    : `${countOf(count, 'pending or firing alert')} ${count === 1 ? 'matches' : 'match'} now`;
