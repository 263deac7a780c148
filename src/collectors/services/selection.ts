// Defines the options of the services collector, and selects the services that a run requests. It has no side effects.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import { DAY } from '../../lib/time.ts';
import { NOT_FOUND_ANSWERS_UNTIL_REMOVED, type ServiceAttempt } from '../../store/service-store.ts';
import { labelsFromMetadata } from '../metadata-labels.ts';

export const serviceOptions = z.strictObject({
  schedule: cronExpression().default('*/30 * * * *').describe('Schedule for reading services'),
  ids: z.array(z.string().min(1)).default([]).describe('Ids of services to read'),
  discover: z
    .boolean()
    .default(true)
    .describe(
      'True if the collector also reads the services that the residential_ledger, mobile_ledger and inventory collectors find',
    ),
  search: z
    .boolean()
    .default(false)
    .describe(
      'True if the collector reads all services in one listing, and one by one only those that it lacks',
    ),
  labels_from_metadata: labelsFromMetadata('service_metadata', 'proxywatch_service_info'),
});

export type ServiceOptions = z.infer<typeof serviceOptions>;

/** The most services of an account, because each costs a request. Configured services come first. */
export const MAX_SERVICES = 1_000;
/** The interval for discovered services that are removed or have long ended. */
const SLOW_INTERVAL_MS = DAY;
/** A canceled service has long ended if its cycle ended longer ago than this. */
const LONG_EXPIRED_MS = 30 * DAY;

export interface DueService {
  readonly id: string;
  /** Whether the service is expected to exist, because it is configured, or was found and is not removed. */
  readonly isExpected: boolean;
}

interface KnownServices {
  readonly referencedIds: readonly string[];
  readonly attempts: readonly ServiceAttempt[];
  /** In small letters: those that a listing has. */
  readonly listedIds: ReadonlySet<string>;
}

/**
 * Returns the services that are due at `now` (ms): the configured ones, and with `discover` also those in
 * `referencedIds` and those with stored attempts, but none that a listing has.
 */
export const dueServices = (
  { ids, discover }: ServiceOptions,
  { referencedIds, attempts, listedIds }: KnownServices,
  now: number,
): DueService[] => {
  const attemptsById = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const configured = new Set(ids);
  const discovered = discover ? [...referencedIds, ...attemptsById.keys()] : [];
  const isListed = (id: string): boolean => listedIds.has(id.toLowerCase());
  const selected = [...new Set([...ids, ...discovered])].filter((id) => !isListed(id)).slice(0, MAX_SERVICES);
  return selected
    .filter((id) => configured.has(id) || isDue(attemptsById.get(id), now))
    .map((id) => ({ id, isExpected: configured.has(id) || wasFound(attemptsById.get(id)) }));
};

const isDue = (attempt: ServiceAttempt | undefined, now: number): boolean => {
  if (!attempt) return true;
  const { askedAt, notFoundAnswers } = attempt;
  const isOnSlowInterval = notFoundAnswers >= NOT_FOUND_ANSWERS_UNTIL_REMOVED || hasLongEnded(attempt, now);
  // A clock that was set back must not delay the request.
  return !isOnSlowInterval || askedAt > now || askedAt <= now - SLOW_INTERVAL_MS;
};

const hasLongEnded = ({ status, expiresAt }: ServiceAttempt, now: number): boolean =>
  status === 'canceled' && expiresAt !== null && expiresAt < now - LONG_EXPIRED_MS;

const wasFound = (attempt: ServiceAttempt | undefined): boolean =>
  attempt !== undefined &&
  attempt.answeredAt !== null &&
  attempt.notFoundAnswers < NOT_FOUND_ANSWERS_UNTIL_REMOVED;
