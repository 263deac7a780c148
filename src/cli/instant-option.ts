// Parses command line options that are instants.

import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { parseDuration } from '../config/duration.ts';
import { instantOf, parseLocal } from '../provider/time.ts';

/** Returns the instant (ms) that the option means for an account with this time zone. */
export type InstantInZone = (zone: string) => number;

/** Describes what parseInstantOption accepts. */
export const EXPECTED_INSTANT =
  'a date (2026-07-01), an instant (2026-07-01T12:00:00+02:00), or a duration before now (30d)';

const datetime = z.iso.datetime({ offset: true });

/** Accepts dates, RFC 3339, and durations before now. Throws InvalidArgumentError, which commander prints with the option's name. */
export const parseInstantOption = (text: string): InstantInZone => {
  const local = z.iso.date().safeParse(text).success ? parseLocal(text) : undefined;
  if (local !== undefined) return (zone) => instantOf(local, zone);
  const ago = parseDuration(text);
  const at = ago !== undefined ? Date.now() - ago : Date.parse(text);
  if (ago !== undefined || datetime.safeParse(text).success) return () => at;
  throw new InvalidArgumentError(
    `Expected ${EXPECTED_INSTANT}. A date means midnight in the time_zone of the account.`,
  );
};
