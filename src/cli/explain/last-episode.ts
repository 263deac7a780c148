// Prints when an alert that does not fire has fired last, because it may have ended before anybody looked.

import type { CommandContext } from '../context.ts';
import { askDaemon, type ConnectionOptions } from '../daemon-client/daemon-client.ts';
import { shownTime, subjectOf } from './shown.ts';

/** The part of an item of GET /api/v1/alerts/history that is printed. */
interface Episode {
  readonly labels: Readonly<Record<string, string>>;
  readonly firing_since: string;
  readonly ended_at: string;
  readonly notified: readonly { readonly receiver: string; readonly firing_at: string | null }[];
}

/** `query` selects the alert. Throws DaemonError. */
export const lastEpisodeLine = async (
  context: CommandContext,
  connection: ConnectionOptions,
  query: URLSearchParams,
): Promise<string> => {
  const selected = new URLSearchParams(query);
  selected.set('limit', '1');
  selected.set('state', 'resolved');
  const answer = await askDaemon(context, connection, 'GET', `api/v1/alerts/history?${selected}`);
  const [episode] = (answer as { readonly data: readonly Episode[] }).data;
  return episode ? describeEpisode(episode) : 'The history has no time at which it fired.';
};

const describeEpisode = ({ labels, firing_since, ended_at, notified }: Episode): string => {
  const subject = subjectOf(labels);
  const receivers = notified.map(({ receiver, firing_at }) =>
    firing_at === null ? receiver : `${receiver} at ${shownTime(firing_at)}`,
  );
  const whom = receivers.length === 0 ? 'nobody was notified' : `notified: ${receivers.join(', ')}`;
  return `It last fired from ${shownTime(firing_since)} to ${shownTime(ended_at)}${subject && ` (${subject})`}; ${whom}.`;
};
