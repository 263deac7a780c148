// Adds up how often and how long alerts fired in a period.

import { SECOND } from '../../../lib/time.ts';
import type { AlertHistoryStore, Episode } from '../../../store/alert-history-store.ts';
import { unknown } from '../invoice/unknown-part.ts';
import { rfc3339 } from '../item.ts';
import type { TimeRange } from '../parameters.ts';
import { MOST_NAMED } from './amounts.ts';
import type { Report, UnknownOfReport } from './report-json.ts';

interface Faults extends Pick<Report, 'alerts' | 'longest_alerts'> {
  readonly unknown: UnknownOfReport;
}

const PAGE = 1_000;
/** The history has at most 200,000 episodes. So many in one period are not read. */
const MOST_EPISODES = 20_000;

/** `now` ends a period that is not over. */
export const readFaults = async (
  history: AlertHistoryStore,
  account: string,
  { from, to }: TimeRange,
  now: number,
): Promise<Faults> => {
  const episodes: Episode[] = [];
  for (let page: Episode[] | undefined; page === undefined || page.length === PAGE; ) {
    if (episodes.length >= MOST_EPISODES) break;
    page = await history.page({ accounts: [account], to, endedAfter: from }, PAGE, episodes.at(-1)?.id);
    episodes.push(...page);
  }
  const span = { from, to: Math.min(to, now) };
  const longest = episodes
    .map((episode) => ({ episode, ms: overlapOf(episode, span) }))
    .sort((one, other) => other.ms - one.ms);
  return {
    alerts: [...Map.groupBy(longest, ({ episode }) => episode.alert)]
      .map(([alert, found]) => ({
        alert,
        began: found.filter(({ episode }) => episode.firingSince >= from).length,
        firing: found.filter(({ episode }) => episode.endedAt === null).length,
        subjects: new Set(found.map(({ episode }) => JSON.stringify(episode.labels))).size,
        seconds: found.reduce((sum, { ms }) => sum + ms, 0) / SECOND,
      }))
      .sort((one, other) => other.seconds - one.seconds),
    longest_alerts: longest.slice(0, MOST_NAMED).map(({ episode, ms }) => ({
      ...{ alert: episode.alert, severity: episode.severity, labels: { ...episode.labels } },
      ...{ firing_since: rfc3339(episode.firingSince), ended_at: rfc3339(episode.endedAt) },
      seconds: ms / SECOND,
    })),
    unknown:
      episodes.length >= MOST_EPISODES
        ? [unknown('alerts', `only the newest ${MOST_EPISODES} times at which an alert fired are counted`)]
        : [],
  };
};

const overlapOf = ({ firingSince, endedAt }: Episode, { from, to }: TimeRange): number =>
  Math.max(0, Math.min(to, endedAt ?? to) - Math.max(from, firingSince));
