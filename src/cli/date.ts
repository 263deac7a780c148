// Dates, as options of commands give them.

import { InvalidArgumentError } from 'commander';
import { parseLocal } from '../provider/time.ts';

/** Throws InvalidArgumentError, which commander tells with the option's name. */
export const dateOf = (text: string): string => {
  if (text.length !== 10 || parseLocal(text) === undefined) {
    throw new InvalidArgumentError('expected a date such as 2026-07-05');
  }
  return text;
};
