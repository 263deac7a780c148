// Lists the parts of the request log.

import type { Part } from './part.ts';

export const REQUEST_LOG_PARTS: readonly Part[] = [
  {
    endpoint: 'log/search',
    name: 'the requests of a time',
    collectors: ['request_log'],
    matches: ({ endpoint }) => endpoint === 'log/search',
    rests: [{ group: 'requestLog' }],
    derived: [],
  },
];
