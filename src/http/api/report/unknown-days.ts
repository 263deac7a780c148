// Makes the entries of days that are not known.

import { unknown } from '../invoice/unknown-part.ts';
import type { UnknownOfReport } from './report-json.ts';

/** Returns no entry for no days. */
export const whereAny = (
  part: UnknownOfReport[number]['part'],
  message: string,
  dates: readonly string[],
): UnknownOfReport => (dates.length > 0 ? [unknown(part, message, dates)] : []);
