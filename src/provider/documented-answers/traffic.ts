// The documented fields of a traffic graph.

import { list, object, optional, value } from './shapes.ts';

/** These fields come only if the request asks for concurrency. */
const onRequest = optional(value('number'));

/** A bucket starts with a date instead of a datetime if it is a day or a month long. */
const bucket = object(
  {
    text: 'interval_name',
    integer: 'bytes requests successful error smartpath_routed_bytes smartpath_routed_requests',
    number: 'smartpath_money_saved',
  },
  {
    interval: value('datetime', 'date'),
    avg_log_concurrency: onRequest,
    max_log_concurrency: onRequest,
  },
);

export const graph = object(
  {
    integer: `total_bytes total_requests total_successful total_error total_smartpath_routed_bytes
      total_smartpath_routed_requests`,
    number: 'total_smartpath_money_saved',
  },
  {
    intervals: list(bucket),
    total_avg_log_concurrency: onRequest,
    total_max_log_concurrency: onRequest,
  },
);
