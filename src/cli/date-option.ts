// Parses command line options that are dates.

import { InvalidArgumentError } from 'commander';
import { parseLocal } from '../provider/time.ts';

/** Throws InvalidArgumentError, which commander prints with the option's name. */
export const parseDateOption = (text: string): string => {
  if (text.length !== 10 || parseLocal(text) === undefined) {
    throw new InvalidArgumentError('Expected a date such as 2026-07-05.');
  }
  return text;
};
