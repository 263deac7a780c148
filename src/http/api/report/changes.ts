// Counts what changed in a period: proxies of the inventory, and services that began, ended, or end next.

import { setImmediate } from 'node:timers/promises';
import { DAY } from '../../../lib/time.ts';
import { INVENTORY_CHANGES } from '../../../store/inventory-store.ts';
import type { StoredService } from '../../../store/service-store.ts';
import type { AccountView } from '../../daemon-view.ts';
import type { Period } from '../invoice/month.ts';
import { rfc3339 } from '../item.ts';
import type { TimeRange } from '../parameters.ts';
import { readServices } from '../services.ts';
import { MOST_NAMED } from './amounts.ts';
import { daysBefore } from './period.ts';
import type { Report, UnknownOfReport } from './report-json.ts';
import { whereAny } from './unknown-days.ts';

type Account = Pick<AccountView, 'settings' | 'store' | 'clock'>;

export const countChanges = async (
  { settings, store }: Account,
  { from, to }: TimeRange,
): Promise<Report['inventory_changes']> => {
  const counts: [string, number][] = [];
  for (const change of INVENTORY_CHANGES) {
    counts.push([change, await store.inventory.countChanges(settings.name, { change, from, to })]);
    await setImmediate();
  }
  return Object.fromEntries(counts) as Report['inventory_changes'];
};

/** The store keeps the newest changes of an account, up to this number. */
const MOST_CHANGES = 100_000;

export const unknownChanges = async (
  { settings, store, keptMs }: Account & Pick<AccountView, 'keptMs'>,
  period: Period,
  now: number,
): Promise<UnknownOfReport> => {
  const { name, time_zone: zone } = settings;
  const isFull = (await store.inventory.countChanges(name, {})) >= MOST_CHANGES;
  const [oldest] = isFull ? await store.inventory.changes(name, 0, 1) : [];
  const keptSince = Math.max(now - keptMs, oldest?.at ?? 0);
  return whereAny('inventory', 'changes of these days are deleted', daysBefore(period, zone, keptSince));
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
