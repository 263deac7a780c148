// Which services are asked for: pure, from the options and what the store knows.

import { DAY } from '../../lib/time.ts';
import { NOT_FOUND_WHEN_GONE, type ServiceAttempt } from '../../store/service-store.ts';
import type { ServiceOptions } from './options.ts';

/** Of an account, as each costs a request; those of the configuration come first. */
export const MAX_SERVICES = 1_000;
/** A service that was found, and is gone or over, is asked for this often. */
const SELDOM_MS = DAY;
/** How long ago the cycle of a canceled service ended that nothing more is awaited of. */
const LONG_EXPIRED_MS = 30 * DAY;

export interface ServiceTurn {
  readonly id: string;
  /** Whether its being there is taken for granted: configured, or known and not gone. */
  readonly isExpected: boolean;
}

/** The services whose turn it is at `now` (ms), of those that the configuration names, `named` and those known. */
export const dueServices = (
  { ids, discover }: ServiceOptions,
  named: readonly string[],
  attempts: readonly ServiceAttempt[],
  now: number,
): ServiceTurn[] => {
  const known = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const configured = new Set(ids);
  const found = discover ? [...named, ...known.keys()] : [];
  const wanted = [...new Set([...ids, ...found])].slice(0, MAX_SERVICES);
  return wanted
    .filter((id) => configured.has(id) || isDue(known.get(id), now))
    .map((id) => ({ id, isExpected: configured.has(id) || isPresent(known.get(id)) }));
};

const isDue = (attempt: ServiceAttempt | undefined, now: number): boolean => {
  if (!attempt) return true;
  const { askedAt, notFound } = attempt;
  const isSeldom = notFound >= NOT_FOUND_WHEN_GONE || isOver(attempt, now);
  // A clock set back must not put it off.
  return !isSeldom || askedAt > now || askedAt <= now - SELDOM_MS;
};

const isOver = ({ status, expiresAt }: ServiceAttempt, now: number): boolean =>
  status === 'canceled' && expiresAt !== null && expiresAt < now - LONG_EXPIRED_MS;

const isPresent = (attempt: ServiceAttempt | undefined): boolean =>
  attempt !== undefined && attempt.answeredAt !== null && attempt.notFound < NOT_FOUND_WHEN_GONE;
