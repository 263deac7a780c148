// Says of which services of a month the quantity and the price are unknown, or were read too early or too late.

import type { Period } from '../../../lib/calendar.ts';
import { HOUR } from '../../../lib/time.ts';
import {
  NOT_FOUND_ANSWERS_UNTIL_REMOVED,
  type ServiceAttempt,
  type StoredService,
} from '../../../store/service-store.ts';
import { rfc3339 } from '../item.ts';
import { named, type Unknown, unknown } from './unknown-part.ts';

interface KnownServices {
  readonly services: readonly Pick<StoredService, 'id' | 'answeredAt'>[];
  /** The ids that the inventory and the ledger name, and those that rows of the month name. */
  readonly referencedIds: readonly string[];
  readonly idsOfMonth: ReadonlySet<string | null>;
  readonly attempts: readonly Pick<ServiceAttempt, 'id' | 'answeredAt' | 'notFoundAnswers' | 'expiresAt'>[];
  /** Whether a run of the collector ever succeeded. */
  readonly wasRead: boolean;
}

export const unknownServices = (known: KnownServices, month: Period, now: number): Unknown => {
  if (!known.wasRead && known.attempts.every(({ answeredAt }) => answeredAt === null))
    return [unknown('services', 'proxywatch has not read the services yet')];
  return [
    ...unread(known),
    ...removedServices(known, month),
    ...early(known, month, now),
    ...(known.services.some(({ answeredAt }) => answeredAt >= month.to)
      ? [
          unknown(
            'services',
            'quantities, cycles and prices are those of the newest answers, after the month',
          ),
        ]
      : []),
  ];
};

const isRemoved = ({ notFoundAnswers }: Pick<ServiceAttempt, 'notFoundAnswers'>): boolean =>
  notFoundAnswers >= NOT_FOUND_ANSWERS_UNTIL_REMOVED;

const unread = ({ referencedIds, attempts }: KnownServices): Unknown => {
  const answered = new Set(
    attempts.filter((each) => each.answeredAt !== null || isRemoved(each)).map(({ id }) => id),
  );
  const ids = [...new Set([...referencedIds, ...attempts.map(({ id }) => id)])].filter(
    (id) => !answered.has(id),
  );
  return ids.length === 0
    ? []
    : [unknown('services', `the provider has not answered about these yet: ${named(ids)}`)];
};

/** The ledger names services of all times, so one that was never found may be of another month. */
export const removedServices = (
  { attempts, idsOfMonth }: Pick<KnownServices, 'attempts' | 'idsOfMonth'>,
  { from }: Pick<Period, 'from'>,
): Unknown => {
  const ids = attempts
    .filter((each) => isRemoved(each) && (each.answeredAt !== null || idsOfMonth.has(each.id)))
    .filter(({ expiresAt }) => expiresAt === null || expiresAt >= from)
    .map(({ id }) => id);
  return ids.length === 0
    ? []
    : [unknown('services', `the provider no longer finds these, which are not listed: ${named(ids)}`)];
};

const early = ({ services }: KnownServices, { to }: Period, now: number): Unknown => {
  const [until, when] =
    now < to ? [now - HOUR, 'more than an hour ago'] : [to, 'before the end of the month'];
  const found = services.filter(({ answeredAt }) => answeredAt < until);
  if (found.length === 0) return [];
  const oldest = rfc3339(Math.min(...found.map(({ answeredAt }) => answeredAt)));
  const orLater = found.length > 1 ? ' or later' : '';
  return [
    unknown('services', `last read at ${oldest}${orLater}, ${when}: ${named(found.map(({ id }) => id))}`),
  ];
};
