// Counts what happened in a period: changed proxies, services that began or end, and alerts that fired.

import { setImmediate } from 'node:timers/promises';
import type { Period } from '../../../lib/calendar.ts';
import { DAY, SECOND } from '../../../lib/time.ts';
import type { AlertHistoryStore, Episode } from '../../../store/alert-history-store.ts';
import { INVENTORY_CHANGES } from '../../../store/inventory-store.ts';
import type { StoredService } from '../../../store/service-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import { unknown } from '../invoice/invoice-json.ts';
import { rfc3339 } from '../item.ts';
import type { TimeRange } from '../parameters.ts';
import { readServices } from '../services.ts';
import { MOST_NAMED } from './amounts.ts';
import { daysBefore, whereAny } from './period.ts';
import type { Report, UnknownOfReport } from './report-json.ts';

type Account = Pick<AccountView, 'settings' | 'store' | 'clock'>;

/** A pause of the daemon hides no change: the next listing shows what differs from the one before. */
export const readInventoryChanges = async (
  { settings, store, keptMs }: Account & Pick<AccountView, 'keptMs'>,
  period: Period,
  now: number,
): Promise<{ readonly counts: Report['inventory_changes']; readonly unknown: UnknownOfReport }> => {
  const { name, time_zone: zone, collectors } = settings;
  const isOn = collectors.includes('inventory');
  const { baselinedAt } = await store.inventory.listing(name);
  if (!isOn || baselinedAt === null) {
    const why = isOn ? 'proxywatch has not read the inventory yet' : 'inventory is off';
    return { counts: null, unknown: [unknown('inventory', why)] };
  }
  const early = daysBefore(period, zone, baselinedAt);
  const isFull = (await store.inventory.countChanges(name, {})) >= MOST_CHANGES;
  const [oldest] = isFull ? await store.inventory.changes(name, 0, 1) : [];
  const deleted = daysBefore(period, zone, Math.max(now - keptMs, oldest?.at ?? 0));
  const isKnown = [early, deleted].every((days) => days.length < period.dates.length);
  return {
    counts: isKnown ? await countChanges(store, name, period) : null,
    unknown: [
      ...whereAny(
        'inventory',
        'proxywatch first read the inventory after the beginning of these days',
        early,
      ),
      ...whereAny('inventory', 'changes of these days are deleted', deleted),
    ],
  };
};

/** The store keeps the newest changes of an account, up to this number. */
const MOST_CHANGES = 100_000;

const countChanges = async (
  { inventory }: Account['store'],
  account: string,
  { from, to }: TimeRange,
): Promise<Report['inventory_changes']> => {
  const counts: [string, number][] = [];
  for (const change of INVENTORY_CHANGES) {
    counts.push([change, await inventory.countChanges(account, { change, from, to })]);
    await setImmediate();
  }
  return Object.fromEntries(counts) as Report['inventory_changes'];
};

const NEXT_MS = 30 * DAY;

export const readServiceDates = async (found: Account, period: TimeRange): Promise<Report['services']> => {
  const services = await readServices(found);
  const now = found.clock.now();
  const between = (time: 'createdAt' | 'expiresAt', { from, to }: TimeRange) => {
    const matching = services
      .flatMap((each) => (each[time] === null ? [] : [{ each, at: each[time] }]))
      .filter(({ at }) => at >= from && at < to)
      .sort((one, other) => one.at - other.at);
    return { count: matching.length, first: matching.slice(0, MOST_NAMED).map(serviceJson) };
  };
  return {
    begun: between('createdAt', period),
    ended: between('expiresAt', { from: period.from, to: Math.min(period.to, now) }),
    next: between('expiresAt', { from: now, to: now + NEXT_MS }),
  };
};

const serviceJson = ({ each, at }: { readonly each: StoredService; readonly at: number }) => ({
  ...{ service_id: each.id, service_name: each.name, product_type: each.productType, at: rfc3339(at) },
});

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
