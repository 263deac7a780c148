// Reads the period of a list of events from query parameters.

import { ApiError } from './route.ts';

interface RequestedPeriod {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Times in ms, from `from` to before `to`. Undefined has no limit. */
interface Period {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** An empty period is a mistake, because its empty list would look like an answer. */
export const periodOf = (requested: RequestedPeriod): Period | ApiError => {
  const [from, to] = [timeOf(requested.from), timeOf(requested.to)];
  return from !== undefined && to !== undefined && from >= to
    ? new ApiError(400, 'from: expected a time before to')
    : { from, to };
};

const timeOf = (given: string | undefined): number | undefined =>
  given === undefined ? undefined : Date.parse(given);
