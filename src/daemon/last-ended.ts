// Finds the newest alert of the history that has ended, and explains which receivers were notified of it.

import type { EndedAlert } from '../http/notice-view.ts';
import type { EpisodeFilter } from '../store/alert-history-store.ts';
import type { App } from './app.ts';

/** Returns null if the history has no such alert. */
export const lastEnded = async (
  filter: EpisodeFilter,
  { alerting, store }: Pick<App, 'alerting' | 'store'>,
): Promise<EndedAlert | null> => {
  const [episode] = await store.alertHistory.page({ ...filter, state: 'resolved' }, 1);
  if (!episode || episode.endedAt === null) return null;
  const { account, alert, severity, labels, firingSince, endedAt } = episode;
  return {
    ...{ alert, severity, firingSince, endedAt },
    labels: account === '' ? labels : { account, ...labels },
    receivers: alerting.explainEnded(episode, endedAt),
  };
};
