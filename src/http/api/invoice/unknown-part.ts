// Makes the entries of what is not known of a month, and bounds the lists of an invoice.

import type { UnknownPart } from './invoice-json.ts';

export type Unknown = readonly UnknownPart[];

export const unknown = <P extends string>(part: P, message: string, dates: readonly string[] = []) => ({
  ...{ part, message, dates: [...dates] },
});

/** An invoice lists at most as many users, late rows, and sums by service. A ranking of users has as many. */
export const MOST_LISTED = 1_000;

const MOST_NAMED = 5;

/** Names some of the ids. They come from the provider. */
export const named = (ids: readonly string[]): string =>
  [
    ids.slice(0, MOST_NAMED).join(', '),
    ...(ids.length > MOST_NAMED ? [`${ids.length - MOST_NAMED} more`] : []),
  ].join(' and ');
