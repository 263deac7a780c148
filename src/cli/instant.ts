// Instants, as options of commands give them.

import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { parseDuration } from '../config/duration.ts';
import { instantOf, parseLocal } from '../provider/time.ts';

/** Milliseconds of an instant as an account with that time zone has it. */
export type InstantIn = (zone: string) => number;

/** What instantIn asks for, in words. */
export const INSTANT =
  "2026-07-01 (midnight in the account's time_zone), 2026-07-01T12:00:00+02:00, or how long ago, such as 30d";

const datetime = z.iso.datetime({ offset: true });

/** Takes dates, RFC 3339, and durations before now. Throws InvalidArgumentError, told with the option's name. */
export const instantIn = (text: string): InstantIn => {
  const local = z.iso.date().safeParse(text).success ? parseLocal(text) : undefined;
  if (local !== undefined) return (zone) => instantOf(local, zone);
  const ago = parseDuration(text);
  const at = ago !== undefined ? Date.now() - ago : Date.parse(text);
  if (ago !== undefined || datetime.safeParse(text).success) return () => at;
  throw new InvalidArgumentError(`expected ${INSTANT}`);
};
